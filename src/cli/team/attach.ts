import { randomUUID } from "node:crypto";
import { Command } from "commander";
import { LogIndex } from "../../session/stored-sessions.ts";
import type { ReadStatus, TeamReader } from "../../team/core.ts";
import { errorOf } from "../../wire/errors.ts";
import type { AgentStatus } from "../../wire/team/agent-status.ts";
import type { AgentState } from "../../wire/team/events.ts";
import type { SleepingAgent } from "../attach/input-to-hibernating-agent.ts";
import type { ViewFlags } from "../attach/view-options.ts";
import { addViewOptions } from "../attach/view-options.ts";
import { isAtTerminal, viewLog, viewSession } from "../attach/view-session.ts";
import { byCommand } from "../attach/observer-rows.ts";
import { noAgent } from "./request-by-id.ts";
import type { TeamPlace } from "./find-team.ts";
import { readTeam, stateDirOption, teamOption } from "./find-team.ts";

const help = `
If the agent has no process, or the team is stopped, you see the agent's log. On
a terminal, the view switches to the session when the agent starts. A message to
the lead starts the lead.

Without a terminal, each line of the input is a message to the lead, and --wait
waits for the answers. 'switchboard send -' does the same, and also starts a
lead that has no process.`;

/** `switchboard attach AGENT`: looks over an agent's shoulder. Only the lead can be talked to. */
export function attachCommand(): Command {
  const command = new Command("attach")
    .description("watch the session of one agent, or chat with the lead")
    .argument("<agent>", "the agent's name");
  return addViewOptions(command)
    .addOption(teamOption())
    .addOption(stateDirOption())
    .addHelpText("after", help)
    .action(attach);
}

type AttachFlags = TeamPlace & ViewFlags;

async function attach(id: string, flags: AttachFlags): Promise<void> {
  await using team = await readTeam(flags, flags.json);
  const status = await team.request("status", {});
  const agent = status.agents.find((each) => each.id === id);
  if (!agent) {
    throw noAgent(
      id,
      status.agents.map((each) => each.id),
    );
  }
  try {
    if (!asleep.has(agent.state)) await watch(agent, status, flags);
    else await watchSleeper(team, agent, status, flags);
  } finally {
    // An input that is still open would keep this process.
    process.stdin.destroy();
  }
}

/** The session of an agent that has a process. @param draft what the person has begun to write. */
async function watch(
  agent: AgentStatus,
  { lead, rehearsal }: ReadStatus,
  flags: AttachFlags,
  draft = "",
): Promise<void> {
  const which = flags.stateDir === undefined ? "" : ` --state-dir ${flags.stateDir}`;
  const elsewhere = {
    decide: byCommand(`switchboard VERB ID${which}`),
    speak: `You can talk only to ${lead}, the lead: switchboard attach ${lead}${which}`,
  };
  await viewSession(socketOf(agent), flags, {
    elsewhere: () => elsewhere,
    isRehearsal: rehearsal,
    draft,
  });
}

/** @throws `agent_unavailable` for an agent of another machine. */
function socketOf({ id, lead, state, socket, observe_socket }: AgentStatus): string {
  const path = lead ? socket : observe_socket;
  if (path !== undefined) return path;
  throw errorOf("agent_unavailable", `${id} has no socket on this machine.`, {
    data: { agent_id: id, state },
    hint: "Read what its session has told with the method agent_history of the team's control socket.",
  });
}

/** The log of an agent without a process, and its session when the agent has started. */
async function watchSleeper(
  team: TeamReader,
  agent: AgentStatus,
  status: ReadStatus,
  flags: AttachFlags,
): Promise<void> {
  const elsewhere = { decide: () => undefined, speak: wakingWords(agent, status, flags) };
  const isRunning = status.pid !== undefined;
  let isAwake = false;
  const started = isRunning ? untilStarted(team, agent, status) : never;
  const sleeper = sleeperOf(team, agent, started);
  void sleeper.awake.then(() => (isAwake = true));
  const draft = await viewLog(logOf(agent), flags, {
    elsewhere: () => elsewhere,
    isRehearsal: status.rehearsal,
    ...(isRunning && { sleeper }),
  });
  // The last message is the one that started the agent.
  if (isAwake) await watch(agent, status, { ...flags, history: 1 }, draft);
}

const never = new Promise<never>(() => {});

function sleeperOf(team: TeamReader, agent: AgentStatus, started: Promise<void>): SleepingAgent {
  let lastSent: Promise<unknown> = Promise.resolve();
  const send = async (text: string): Promise<void> => {
    lastSent = team.request("send", { text, id: randomUUID() });
    await lastSent;
  };
  // A quarantined lead is started by a person, not by a message.
  const canSend = agent.lead && agent.state === "hibernated";
  // The person is told what became of a message before the view changes.
  const awake = started.then(async () => void (await lastSent.catch(() => {})));
  return { awake, ...(canSend && { send }) };
}

/** Resolves when the agent has a session. */
async function untilStarted(
  team: TeamReader,
  { id }: AgentStatus,
  { last_seq: since, log_id: logId }: ReadStatus,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const following = team.follow({ since, logId }, (item) => {
    if (item.type === "agent_state" && item.agent === id && awake.has(item.state)) resolve();
  });
  // A team whose process has ended starts no agent.
  await following.catch(() => {});
  return promise;
}

/** States in which an agent has no session, so that only its log can be read. */
const asleep: ReadonlySet<AgentState> = new Set(["hibernated", "quarantined", "stopped"]);
/** States in which its session answers. */
const awake: ReadonlySet<AgentState> = new Set(["confirming", "ready", "working", "waiting"]);

/** The log that the agent's session wrote last. */
function logOf({ id, state, state_dir }: AgentStatus): string {
  const logs = state_dir === undefined ? [] : new LogIndex(state_dir).entries();
  const [newest] = logs.toSorted((one, other) => other.changedMs - one.changedMs);
  if (newest) return newest.directory;
  throw errorOf("agent_unavailable", `${id} is ${state} and has no log yet.`, {
    data: { agent_id: id, state },
    hint: `Start it with 'switchboard restart ${id}'.`,
  });
}

function wakingWords(
  { id, state, lead }: AgentStatus,
  { pid }: ReadStatus,
  flags: AttachFlags,
): string {
  if (pid === undefined) return `The team of ${id} is stopped. Start it with 'switchboard up'.`;
  if (state !== "hibernated") {
    return `${id} is ${state}. Start it with 'switchboard restart ${id}'.`;
  }
  if (!lead) return `${id} is hibernated until another agent sends it a message.`;
  return isAtTerminal(flags)
    ? `${id} is hibernated. A message starts it: write one here, or use 'switchboard send'.`
    : `${id} is hibernated. A message starts it: switchboard send -`;
}
