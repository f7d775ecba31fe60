import { randomUUID } from "node:crypto";
import { Command, Option } from "commander";
import type { Place, TeamClient, TeamItem } from "../../team/control/client.ts";
import { errorOf } from "../../wire/errors.ts";
import type { TeamParamsInput } from "../../wire/team-control.ts";
import type { TeamEventOf } from "../../wire/team-events.ts";
import type { Priority } from "../../wire/team.ts";
import { PrioritySchema } from "../../wire/team.ts";
import { AnswerScreen } from "./answer-screen.ts";
import { Decisions } from "./decisions.ts";
import { words } from "./named.ts";
import type { TeamPlace } from "./place.ts";
import { stateDirOption, throughRestarts } from "./place.ts";
import { print, printJson } from "./print.ts";

const examples = `
Examples:
  switchboard send "Write a program that sorts names"     waits, and shows the lead's answer as it comes
  switchboard send --no-wait "Go on with the next one"    returns when the message is safe
  switchboard send --priority urgent "Stop that"          cuts the lead's running turn short`;

interface SendFlags extends TeamPlace {
  wait: boolean;
  priority: Priority;
  json?: boolean;
}

/** `switchboard send TEXT`: says something to the lead. */
export function sendCommand(): Command {
  return new Command("send")
    .description("say something to the team's lead, and wait for the answer")
    .argument("<text>", "what you want to say", words)
    .option("--no-wait", "do not wait for the answer")
    .addOption(
      new Option("--priority <priority>", "how pressing it is")
        .choices(PrioritySchema.options)
        .default("normal"),
    )
    .addOption(stateDirOption())
    .option("--json", "print the answer as one line of JSON")
    .addHelpText("after", examples)
    .action(send);
}

async function send(text: string, { wait, priority, json = false, ...place }: SendFlags) {
  const say = (line: string): void => void (json || process.stderr.write(`${line}\n`));
  const exchange = new Exchange({ id: randomUUID(), text, priority }, json, say);
  const onLost = (): void => {
    if (exchange.isStopped) throw stopped();
    say("The team's process has ended. Waiting for the next one …");
  };
  const answered = await throughRestarts(place, (team) => exchange.over(team, wait), onLost);
  const { id } = exchange;
  if (!answered) return json ? printJson({ id }) : print(`Accepted as ${id}.`);
  const { text: final, failed, agent } = answered;
  if (json) printJson({ id, agent, failed, text: final });
  if (failed) {
    throw errorOf("execution_failed", json ? "The lead could not answer." : final, {
      hint: "'switchboard log --level WARN' tells more.",
    });
  }
  return undefined;
}

/** One message to the lead and its answer, over as many connections as it takes. */
class Exchange {
  readonly #params: TeamParamsInput<"send"> & { id: string };
  readonly #json: boolean;
  readonly #decisions: Decisions;
  readonly #answered = Promise.withResolvers<TeamEventOf<"answered">>();
  #screen: AnswerScreen | undefined;
  /** Up to here everything was heard. */
  #place: Place | undefined;
  #isStopped = false;

  constructor(
    params: TeamParamsInput<"send"> & { id: string },
    json: boolean,
    say: (line: string) => void,
  ) {
    this.#params = params;
    this.#json = json;
    this.#decisions = new Decisions(say);
  }

  get id(): string {
    return this.#params.id;
  }

  /** The team was stopped on purpose: it is not expected back. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /**
   * Also again, on the next connection: the message counts once.
   *
   * @throws `connection_lost` before the end; why the message was refused.
   */
  async over(team: TeamClient, wait: boolean): Promise<TeamEventOf<"answered"> | undefined> {
    const { last_seq: since, log_id: logId, lead } = team.init;
    if (!this.#json) this.#screen ??= new AnswerScreen(this.id, lead, process.stdout);
    this.#place ??= { since, logId };
    if (wait) await team.follow(this.#place, (item) => this.#hear(item, logId));
    await team.request("send", this.#params);
    if (!wait) return undefined;
    await this.#decisions.watch(team);
    const event = await Promise.race([this.#answered.promise, team.closed]);
    if (!event) throw errorOf("connection_lost", "The team's process ended before it answered.");
    this.#screen?.conclude(event.failed ? undefined : event.text);
    return event;
  }

  #hear(item: TeamItem, logId: string): void {
    if (item.type !== "delta") this.#place = { since: item.seq, logId };
    this.#screen?.take(item);
    if (item.type === "team_stopping") this.#isStopped = true;
    if (item.type === "team_started") this.#isStopped = false;
    if (item.type === "answered" && item.id === this.id) this.#answered.resolve(item);
  }
}

const stopped = () =>
  errorOf("team_not_running", "The team was stopped before it answered.", {
    hint: "An accepted message is not lost: start the team again, and see 'switchboard tail --since 0'.",
  });
