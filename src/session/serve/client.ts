import type { Socket } from "node:net";
import type { Channel } from "../../net/channel.ts";
import { channel } from "../../net/channel.ts";
import { jsonLines } from "../../net/codec.ts";
import { errorOf } from "../../wire/errors.ts";
import { encodeLine } from "../../wire/lines.ts";
import type { Parsed } from "../../wire/payload.ts";
import type { SessionAnswer } from "../../wire/session-answers.ts";
import type { SessionCommand, SessionCommandOf } from "../../wire/session-commands.ts";
import { parseCommand } from "../../wire/session-commands.ts";
import type { LogBatch } from "../log/log-batch.ts";
import { messageOver } from "../state/message-over.ts";
import type { Question } from "./answers.ts";
import { blobAnswer, errorLine, historyAnswer, questionOf, refOf } from "./answers.ts";
import { Feed } from "./feed.ts";
import type { House } from "./house.ts";
import { initAnswer } from "./init-answer.ts";
import { statusLine } from "./status-line.ts";

/** What waits for a client that does not read; past this it is served from the disk. */
const MAX_QUEUED_BYTES = 4 * 1024 * 1024;
/** Commands of one client that are carried out at the same time; past this it is not read from. */
const MAX_OPEN_COMMANDS = 64;
/** How often a client that has ended its side is asked whether it is still there. */
const PRESENCE_MS = 15_000;
const NOTHING = new Uint8Array(0);

/** Commands that change nothing: all that an observer may send. */
const readOnlyTypes: ReadonlySet<string> = new Set([
  "attach",
  "history",
  "status",
  "get_blob",
  "ping",
]);

/** One connection: its commands are carried out, its answers and the session's events sent. */
export class Client {
  readonly #house: House;
  readonly #readOnly: boolean;
  readonly #channel: Channel<unknown, Parsed>;
  readonly #feed: Feed;
  readonly #open = new Set<Promise<void>>();
  /** The end of the last answer that is large. */
  #fetched: Promise<void> = Promise.resolve();
  #isGone = false;
  #name: string;

  constructor(socket: Socket, house: House, readOnly: boolean) {
    this.#house = house;
    this.#readOnly = readOnly;
    this.#channel = channel(socket, jsonLines, { maxQueuedBytes: MAX_QUEUED_BYTES });
    this.#name = house.names.next();
    const { log } = house.session;
    this.#feed = new Feed({
      log,
      target: this.#channel,
      // The state in init is that of the newest event, told or not.
      position: log.lastSeq,
      onReset: (since) => void this.#answer(this.#attached(since, true, {})),
      onFailure: (error) => void this.#giveUp(error),
    });
    void this.#greet();
  }

  /** Carries out what the client asks for. Resolves when it has nothing more to ask; it may still read. */
  async serve(): Promise<void> {
    for await (const parsed of this.#channel) await this.#take(parsed);
    await Promise.all(this.#open);
  }

  /** To be called when the client has ended its side: finds out when the other side is gone as well. */
  watchPresence(): () => void {
    // Nothing at all is enough for the system to say that nobody is there to read it.
    const ask = (): void => void this.#channel.trySend(NOTHING);
    ask();
    const timer = setInterval(ask, PRESENCE_MS).unref();
    return () => clearInterval(timer);
  }

  tell(batch: LogBatch): void {
    this.#feed.take(batch);
  }

  /** All that the log has told is on its way. */
  caughtUp(): Promise<void> {
    return this.#feed.caughtUp();
  }

  gone(): void {
    this.#isGone = true;
    this.#feed.stop();
    this.#house.names.release(this.#name);
  }

  async #greet(): Promise<void> {
    const { log } = this.#house.session;
    try {
      const answer = initAnswer(this.#house, { readOnly: this.#readOnly, client: this.#name });
      await this.#send(statusLine(answer, log));
    } catch (error) {
      await this.#giveUp(error);
    }
  }

  async #take(parsed: Parsed): Promise<void> {
    const command = parsed.ok ? parseCommand(parsed.value) : parsed;
    if (!command.ok) {
      const question = parsed.ok ? questionOf(parsed.value) : {};
      return this.#send(errorLine(command.error, question));
    }
    if (this.#readOnly && !readOnlyTypes.has(command.value.type)) {
      return this.#send(errorLine(readOnly(command.value.type), command.value));
    }
    const open = this.#carryOut(command.value).catch((error: unknown) =>
      this.#send(errorLine(this.#house.noticed(error), command.value)),
    );
    this.#open.add(open);
    void open.finally(() => this.#open.delete(open));
    if (this.#open.size >= MAX_OPEN_COMMANDS) await Promise.race(this.#open);
  }

  /** Up to its first wait it runs in the order of the lines, so that messages keep theirs. */
  async #carryOut(command: SessionCommand): Promise<void> {
    const { session } = this.#house;
    switch (command.type) {
      case "attach":
        return this.#attach(command);
      case "history":
        return this.#fetch(() => historyAnswer(session.log, command));
      case "status":
        return this.#send(
          statusLine({ type: "status", ...refOf(command), ...session.status() }, session.log),
        );
      case "get_blob":
        return this.#fetch(() => blobAnswer(session.log, command));
      case "ping":
        return this.#answer({ type: "pong", ...refOf(command) });
      case "shutdown":
        await this.#acknowledge(command);
        return this.#house.end();
      default:
        await session.handle(command, this.#name);
        return this.#acknowledge(command, command.type === "message" ? command.id : undefined);
    }
  }

  async #acknowledge({ ref }: Question, messageId?: string): Promise<void> {
    const over = messageOver(this.#house.session.log.state, messageId);
    if (ref !== undefined) await this.#answer({ type: "ok", ref, ...(over && { over }) });
  }

  async #attach(command: SessionCommandOf<"attach">): Promise<void> {
    const { session, names } = this.#house;
    const { log } = session;
    // It would keep its name for ever.
    if (this.#isGone) return;
    if (command.client !== undefined) {
      names.release(this.#name);
      this.#name = names.take(command.client);
    }
    for (;;) {
      const { since, log_id = log.logId, epoch } = command;
      const reset = log_id !== log.logId || !log.holds(since, epoch);
      const start = reset ? log.firstSeq - 1 : since;
      if (this.#channel.trySend(encodeLine(this.#attached(start, reset, command)))) {
        return this.#feed.restart(start);
      }
      await this.#channel.drained();
    }
  }

  #attached(since: number, reset: boolean, question: Question): SessionAnswer {
    const { logId: log_id, epoch, lastSeq: last_seq } = this.#house.session.log;
    const place = { log_id, epoch, last_seq };
    return { type: "attached", ...refOf(question), ...place, since, reset, client: this.#name };
  }

  /** One at a time, and when what was sent before has been read: however much is asked for, one answer waits. */
  async #fetch(load: () => Promise<SessionAnswer>): Promise<void> {
    const before = this.#fetched;
    const over = Promise.withResolvers<void>();
    this.#fetched = over.promise;
    try {
      await before;
      await this.#channel.drained();
      await this.#answer(await load());
    } finally {
      over.resolve();
    }
  }

  #answer(answer: SessionAnswer): Promise<void> {
    return this.#send(encodeLine(answer));
  }

  /** Waits while the queue is full. A client that is gone needs no answer. */
  async #send(line: Uint8Array): Promise<void> {
    try {
      while (!this.#channel.trySend(line)) await this.#channel.drained();
    } catch {
      // Whoever asked has left.
    }
  }

  async #giveUp(error: unknown): Promise<void> {
    await this.#send(errorLine(this.#house.noticed(error), {}));
    await this.#channel.close();
  }
}

const readOnly = (type: string) =>
  errorOf("read_only", `An observer cannot send ${type}: this socket only shows the session.`);
