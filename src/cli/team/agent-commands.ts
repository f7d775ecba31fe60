import { Command, InvalidArgumentError, Option } from "commander";
import type { TeamRequest } from "../../team/core.ts";
import type { Effort, PermissionMode } from "../../wire/session/shared-schemas.ts";
import { EffortSchema, PermissionModeSchema } from "../../wire/session/shared-schemas.ts";
import { errorOf } from "../../wire/errors.ts";
import { HostNameSchema } from "../../wire/host.ts";
import { noAgent, requestNamed } from "./request-by-id.ts";
import type { TeamPlace } from "./find-team.ts";
import { connectChosenTeam, stateDirOption, teamOption } from "./find-team.ts";
import { oneLine } from "./one-line.ts";
import { print, printJson } from "./print-for-people.ts";

interface Flags extends TeamPlace {
  json?: boolean;
}

type Order = Extract<TeamRequest, "restart" | "stop" | "start" | "hibernate" | "abort">;

/** A command that does one thing to one agent. @param done what the person reads when it is done. */
const orderCommand = (
  order: Order,
  description: string,
  done: (agent: string) => string,
): Command =>
  addPlace(
    new Command(order).description(description).argument("<agent>", "the agent's name"),
  ).action(async (agent: string, { json, ...place }: Flags) => {
    await using team = await connectChosenTeam(place);
    const ids = team.init.agents.map(({ id }) => id);
    const answer = await requestNamed(team, order, { agent }, noAgent(agent, ids));
    if (json === true) printJson(answer);
    else print(done(agent));
  });

/** `switchboard restart AGENT`: gives a quarantined agent another chance, or wakes one that sleeps. */
export const restartCommand = (): Command =>
  orderCommand(
    "restart",
    "start a quarantined agent again, or wake a hibernated one",
    (agent) => `${agent} is being started.`,
  );

/** `switchboard stop AGENT`: ends an agent until a person starts it. */
export const stopCommand = (): Command =>
  orderCommand(
    "stop",
    "stop one agent; its messages wait until you start it again",
    (agent) => `${agent} is stopped. Its messages wait; 'switchboard start ${agent}' starts it.`,
  );

/** `switchboard start AGENT`: starts an agent that was stopped. */
export const startCommand = (): Command =>
  orderCommand(
    "start",
    "start an agent that was stopped, hibernates or is quarantined",
    (agent) => `${agent} is being started.`,
  );

/** `switchboard hibernate AGENT`: ends the process of an agent that has nothing to do. */
export const hibernateCommand = (): Command =>
  orderCommand(
    "hibernate",
    "end the process of an idle agent; its next message wakes it",
    (agent) => `${agent} hibernates.`,
  );

/** `switchboard abort AGENT`: ends the running turn of an agent. */
export const abortCommand = (): Command =>
  orderCommand("abort", "end an agent's running turn", (agent) => `${agent}'s turn ends.`);

interface MoveFlags extends Flags {
  force?: boolean;
}

const moveHelp = `
The agent is stopped where it is, its conversation is copied, and it goes on on
the other host. When its host cannot be reached, the team first waits until that
one has certainly stopped it (130 s after it was last heard). The agent then
begins a new conversation with its open tasks. To take a move back while it
waits, move the agent to the host that has it.

Examples:
  switchboard move coder h2           h2 has joined the team
  switchboard move coder h2 --force   its host is certainly dead: do not wait`;

/** `switchboard move AGENT HOST`: lets an agent go on on another machine. */
export const moveCommand = (): Command =>
  addPlace(
    new Command("move")
      .description("let an agent go on on another machine, with its conversation")
      .argument("<agent>", "the agent's name")
      .argument("<host>", "a machine that has joined the team")
      .option("--force", "do not wait for a host that is certainly dead"),
  )
    .addHelpText("after", moveHelp)
    .action(async (agent: string, host: string, { force, json, ...place }: MoveFlags) => {
      if (!HostNameSchema.safeParse(host).success) {
        throw errorOf("invalid_params", `${oneLine(host) || '""'} cannot be the name of a host.`, {
          hint: "'switchboard status' shows which agent runs where.",
        });
      }
      await using team = await connectChosenTeam(place);
      const ids = team.init.agents.map(({ id }) => id);
      const wanted = { agent, host, ...(force === true && { force }) };
      const answer = await requestNamed(team, "move", wanted, noAgent(agent, ids));
      if (json === true) return printJson(answer);
      const from = answer.from === undefined ? "" : ` from ${answer.from}`;
      print(`${agent} moves${from} to ${host}. 'switchboard status' shows how far it is.`);
    });

interface SetFlags extends Flags {
  mode?: PermissionMode;
  model?: string;
  effort?: Effort | "default";
}

const setExamples = `
Examples:
  switchboard set coder --model haiku         use it from the next turn on
  switchboard set coder --mode acceptEdits    let it edit files unasked
  switchboard set coder --effort default      leave the effort to the model`;

/** `switchboard set AGENT`: changes mode, model or effort of an agent. */
export const setCommand = (): Command =>
  addPlace(
    new Command("set")
      .description("change the mode, the model or the effort of an agent")
      .argument("<agent>", "the agent's name")
      .addOption(
        new Option("--mode <mode>", "the permission mode").choices(PermissionModeSchema.options),
      )
      .option("--model <model>", "the model", modelOf)
      .addOption(
        new Option("--effort <effort>", "how much the model thinks").choices([
          ...EffortSchema.options,
          "default",
        ]),
      ),
  )
    .addHelpText("after", setExamples)
    .action(async (agent: string, { mode, model, effort, json, ...place }: SetFlags) => {
      const wanted = {
        ...(mode !== undefined && { mode }),
        ...(model !== undefined && { model }),
        ...(effort !== undefined && { effort: effort === "default" ? null : effort }),
      };
      if (Object.keys(wanted).length === 0) {
        throw errorOf("invalid_params", "There is nothing to change.", {
          hint: "Give --mode, --model or --effort.",
        });
      }
      await using team = await connectChosenTeam(place);
      const ids = team.init.agents.map(({ id }) => id);
      const answer = await requestNamed(team, "set", { agent, ...wanted }, noAgent(agent, ids));
      if (json === true) printJson(answer);
      else print(`${agent} is changed.`);
    });

const addPlace = (command: Command): Command =>
  command
    .addOption(teamOption())
    .addOption(stateDirOption())
    .option("--json", "print the outcome as one line of JSON");

function modelOf(name: string): string {
  if (name.trim() !== "" && name.length <= 200) return name;
  throw new InvalidArgumentError("Expected the name of a model.");
}
