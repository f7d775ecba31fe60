import { randomUUID } from "node:crypto";
import { constants } from "node:os";
import { Command, Option } from "commander";
import type { TeamClient, TeamItem } from "../../team/core.ts";
import type { ContentBlock } from "../../wire/content.ts";
import { errorOf } from "../../wire/errors.ts";
import type { TeamParamsInput } from "../../wire/team/control-methods.ts";
import type { TeamEventOf } from "../../wire/team/events.ts";
import type { Priority } from "../../wire/team/messages.ts";
import { PrioritySchema } from "../../wire/team/messages.ts";
import { listenForInterruption } from "../listen-for-interruption.ts";
import { AnswerScreen } from "./answer-screen.ts";
import { Decisions } from "./tell-of-requests.ts";
import type { TeamPlace } from "./find-team.ts";
import { connectThroughRestarts, stateDirOption, teamOption } from "./find-team.ts";
import { pictureIn } from "./read-picture.ts";
import { print, printJson } from "./print-for-people.ts";
import { spokenText } from "./text-to-send.ts";

const examples = `
Examples:
  switchboard send "Write a program that sorts names"
                         wait, and show the lead's answer while it is written
  switchboard send --no-wait "Go on with the next one"
                         return as soon as the message is safe on the disk
  switchboard send --priority urgent "Stop that"
                         interrupt the lead's running turn
  switchboard send --file plan.md
                         send the text of a file
  switchboard send --image shot.png --file question.md
                         send a picture with the text
  git diff | switchboard send -
                         send what another command prints

Ctrl+C ends the wait, not the work. 'switchboard show' prints the answer later.`;

interface SendFlags extends TeamPlace {
  file?: string;
  image?: string[];
  wait: boolean;
  priority: Priority;
  json?: boolean;
}

/** `switchboard send TEXT`: says something to the lead. */
export function sendCommand(): Command {
  return new Command("send")
    .description("send a message to the team's lead and wait for the answer")
    .argument("[text]", "the message; - reads it from standard input")
    .option("--file <file>", "read the message from this file")
    .option("--image <file...>", "send these pictures with the message")
    .option("--no-wait", "do not wait for the answer")
    .addOption(
      new Option("--priority <priority>", "how urgent the message is")
        .choices(PrioritySchema.options)
        .default("normal"),
    )
    .addOption(teamOption())
    .addOption(stateDirOption())
    .option("--json", "print the answer as one line of JSON")
    .addHelpText("after", examples)
    .action(send);
}

async function send(given: string | undefined, flags: SendFlags): Promise<void> {
  const { wait, priority, json = false, file, image = [], ...place } = flags;
  const said = await saidWith(image, given, file);
  const say = (line: string): void => void (json || process.stderr.write(`${line}\n`));
  const exchange = new Exchange({ id: randomUUID(), ...said, priority }, json, say);
  using interruption = listenForInterruption();
  void interruption.first.then((signal) => leave(exchange, signal, say));
  await using team = await connectThroughRestarts(place, ({ state }) => {
    if (state === "lost") exchange.away();
    if (state === "connected") exchange.back();
  });
  const answered = await exchange.over(team, wait);
  const { id } = exchange;
  if (!answered) {
    if (json) printJson({ id });
    else print(`Accepted as ${id}.`);
    return;
  }
  const { text: final, failed, agent } = answered;
  if (json) printJson({ id, agent, failed, text: final });
  if (failed) {
    throw errorOf("execution_failed", json ? "The lead could not answer." : final, {
      hint: "'switchboard tail' shows what happened; 'switchboard attach AGENT' shows an agent's conversation.",
    });
  }
}

/** @throws `invalid_params` for a picture that cannot be read, and as `spokenText` does. */
async function saidWith(
  images: readonly string[],
  given: string | undefined,
  file: string | undefined,
): Promise<{ text: string } | { content: ContentBlock[] }> {
  const hasWords = given !== undefined || file !== undefined || images.length === 0;
  const text = hasWords ? await spokenText(given, file) : undefined;
  if (images.length === 0) return { text: text ?? "" };
  const pictures = await Promise.all(images.map(pictureIn));
  return {
    content: [...(text === undefined ? [] : [{ type: "text", text } as const]), ...pictures],
  };
}

/** The wait is over, the work is not. */
function leave({ id, isAccepted }: Exchange, signal: string, say: (line: string) => void): void {
  if (isAccepted) {
    say("\nThe team works on.");
    say(`  switchboard cancel ${id}   take it back`);
    say(`  switchboard show ${id}     read the answer when it is there`);
  } else say("\nThe team has not confirmed the message.");
  process.exit(SIGNAL_EXIT + constants.signals[signal as NodeJS.Signals]);
}

/** The exit code of a shell for a program that a signal has ended. */
const SIGNAL_EXIT = 128;

/** One message to the lead and its answer, through as many processes of the team as it takes. */
class Exchange {
  readonly #params: TeamParamsInput<"send"> & { id: string };
  readonly #json: boolean;
  readonly #decisions: Decisions;
  readonly #say: (line: string) => void;
  readonly #answered = Promise.withResolvers<TeamEventOf<"answered">>();
  /** Rejects when the team was stopped on purpose. */
  readonly #ended = Promise.withResolvers<never>();
  #screen: AnswerScreen | undefined;
  #isStopped = false;
  #isAway = false;
  #isAccepted = false;

  constructor(
    params: TeamParamsInput<"send"> & { id: string },
    json: boolean,
    say: (line: string) => void,
  ) {
    this.#params = params;
    this.#json = json;
    this.#decisions = new Decisions(say);
    this.#say = say;
    // It may be told before anything waits for it.
    this.#ended.promise.catch(() => {});
  }

  get id(): string {
    return this.#params.id;
  }

  /** The team has stored the message. */
  get isAccepted(): boolean {
    return this.#isAccepted;
  }

  /** The team's process has ended. If the team was stopped on purpose, it will not come back by itself. */
  away(): void {
    this.#screen?.breakOff();
    if (this.#isStopped) this.#ended.reject(stopped());
    else if (!this.#isAway) this.#say("The team's process has ended. Waiting for the next one …");
    this.#isAway = true;
  }

  back(): void {
    this.#isAway = false;
  }

  /** @throws `connection_lost` when no process comes back; why the message was refused; `team_not_running`. */
  over(team: TeamClient, wait: boolean): Promise<TeamEventOf<"answered"> | undefined> {
    return Promise.race([this.#run(team, wait), this.#ended.promise]);
  }

  async #run(team: TeamClient, wait: boolean): Promise<TeamEventOf<"answered"> | undefined> {
    const { last_seq: since, log_id: logId, lead } = team.init;
    if (!this.#json) this.#screen = new AnswerScreen(this.id, lead, process.stdout);
    if (wait) await team.follow({ since, logId }, (item) => this.#hear(item));
    await team.request("send", this.#params);
    this.#isAccepted = true;
    if (!wait) return undefined;
    await this.#decisions.watch(team);
    const lost = team.closed.then(() => undefined);
    const event = await Promise.race([this.#answered.promise, lost]);
    if (!event) throw this.#isStopped ? stopped() : lostBeforeAnswer();
    this.#screen?.conclude(event.failed ? undefined : event.text);
    return event;
  }

  #hear(item: TeamItem): void {
    this.#screen?.take(item);
    if (item.type === "team_stopping") this.#isStopped = true;
    if (item.type === "team_started") this.#isStopped = false;
    if (item.type === "answered" && item.id === this.id) this.#answered.resolve(item);
  }
}

const lostBeforeAnswer = () =>
  errorOf("connection_lost", "The team's process ended before it answered.");

const stopped = () =>
  errorOf("team_not_running", "The team was stopped before it answered.", {
    hint: "The message is not lost. Start the team again, then read the answer with 'switchboard show'.",
  });
