import type { Socket } from "node:net";
import type { Channel } from "../../net/channel.ts";
import { channel } from "../../net/channel.ts";
import { jsonLines } from "../../net/codec.ts";
import { checkClientName } from "../../wire/check-client-name.ts";
import { errorOf } from "../../wire/errors.ts";
import { encodeLine } from "../../wire/lines.ts";
import type { Parsed } from "../../wire/json-payload.ts";
import type { SessionAnswer } from "../../wire/session/answers.ts";
import type { SessionCommand, SessionCommandOf } from "../../wire/session/commands.ts";
import { parseCommand } from "../../wire/session/commands.ts";
import type { ConnectedClient } from "../../wire/session/shared-schemas.ts";
import type { LogBatch } from "../log/event-draft.ts";
import { messageOver } from "../../session-state/message-outcome.ts";
import type { ClientRequest } from "./answer-lines.ts";
import {
  blobAnswer,
  choicesAnswer,
  errorLine,
  foundAnswer,
  historyAnswer,
  hostTime,
  initAnswer,
  refOf,
  requestOf,
  statusAnswer,
  statusLine,
} from "./answer-lines.ts";
import { Feed } from "../../stream/feed.ts";
import type { CommandAnswer } from "../core/command-answer.ts";
import { NewestLine } from "./send-unlogged-line.ts";
import type { ClientLink } from "../core/session.ts";
import type { ServerContext } from "./server-context.ts";

/** How much may queue for a client that does not read; beyond this it is served from the disk. */
const MAX_QUEUED_BYTES = 4 * 1024 * 1024;
/** How many commands of one client run at the same time; beyond this its socket is not read. */
const MAX_OPEN_COMMANDS = 64;
/**
 * A client that has ended its side is probed, to see whether it is still there: soon, because most leave at once, then at
 * growing intervals.
 */
const FIRST_PRESENCE_MS = 10;
const MAX_PRESENCE_MS = 15_000;
const NOTHING = new Uint8Array(0);

/** Commands that change nothing: all that an observer may send. */
const readOnlyTypes: ReadonlySet<string> = new Set([
  "attach",
  "history",
  "search",
  "status",
  "get_blob",
  "ping",
]);

/** One connection: carries out its commands, sends its answers and the session's events. */
export class Client {
  readonly #context: ServerContext;
  readonly #readOnly: boolean;
  readonly #channel: Channel<unknown, Parsed>;
  readonly #feed: Feed;
  readonly #open = new Set<Promise<void>>();
  /** The end of the last large answer. */
  #fetched: Promise<void> = Promise.resolve();
  #isGone = false;
  readonly #clientsLine: NewestLine;
  readonly #choicesLine: NewestLine;
  #name: string;
  /** Without the number that a second connection of this name gets. */
  #wantedName: string;
  readonly #link: ClientLink;

  constructor(socket: Socket, context: ServerContext, readOnly: boolean) {
    this.#context = context;
    this.#readOnly = readOnly;
    this.#channel = channel(socket, jsonLines, { maxQueuedBytes: MAX_QUEUED_BYTES });
    this.#name = context.names.next();
    this.#wantedName = this.#name;
    this.#link = linkOf(
      () => ({ name: this.#name, wantedName: this.#wantedName }),
      (line) => this.#tell(line),
    );
    const { log } = context.session;
    this.#feed = new Feed({
      log,
      target: this.#channel,
      // The state in `init` includes the newest event, published or not.
      position: log.lastSeq,
      onReset: (since) => void this.#answer(this.#attached(since, true, {})),
      onFailure: (error) => void this.#giveUp(error),
    });
    const target = {
      drained: () => this.#channel.drained(),
      send: (line: SessionAnswer) => this.#answer(line),
    };
    this.#clientsLine = new NewestLine(
      () => ({ type: "clients", clients: context.clients() }),
      target,
    );
    this.#choicesLine = new NewestLine(() => choicesAnswer(context.session), target);
  }

  /** As the other clients see it. */
  get about(): ConnectedClient {
    return { client: this.#name, read_only: this.#readOnly };
  }

  /** Sends the first line. */
  greet(): void {
    void this.#greet();
  }

  /** Tells this client who is connected, unless it knows that already. */
  announceClients(): void {
    this.#clientsLine.announce();
  }

  /** Tells this client what a person can choose from, unless it knows that already. */
  announceChoices(): void {
    this.#choicesLine.announce();
  }

  /** Carries out the client's commands. Resolves when the client sends no more; it may still read. */
  async serve(): Promise<void> {
    try {
      for await (const parsed of this.#channel) await this.#take(parsed);
    } finally {
      // It cannot return the result of a call any more.
      this.#context.session.left(this.#link);
    }
    await Promise.all(this.#open);
  }

  /**
   * Call this when the client has ended its side: detects when the other side is gone too. Returns a function that
   * stops the probing.
   */
  watchPresence(): () => void {
    // Sending zero bytes is enough for the system to report that the reader is gone.
    let timer: NodeJS.Timeout;
    const askEvery = (ms: number): void => {
      this.#channel.trySend(NOTHING);
      timer = setTimeout(() => askEvery(Math.min(2 * ms, MAX_PRESENCE_MS)), ms).unref();
    };
    askEvery(FIRST_PRESENCE_MS);
    return () => clearTimeout(timer);
  }

  publish(batch: LogBatch): void {
    this.#feed.take(batch);
  }

  /** Resolves when everything published is on its way. */
  caughtUp(): Promise<void> {
    return this.#feed.caughtUp();
  }

  gone(): void {
    this.#isGone = true;
    this.#clientsLine.stop();
    this.#choicesLine.stop();
    this.#feed.stop();
    this.#context.names.release(this.#name);
  }

  async #greet(): Promise<void> {
    const { log } = this.#context.session;
    try {
      const answer = initAnswer(this.#context, { readOnly: this.#readOnly, client: this.#name });
      this.#clientsLine.know();
      this.#choicesLine.know();
      await this.#send(statusLine(answer, log));
    } catch (error) {
      await this.#giveUp(error);
    }
  }

  async #take(parsed: Parsed): Promise<void> {
    const command = parsed.ok ? parseCommand(parsed.value) : parsed;
    if (!command.ok) {
      const question = parsed.ok ? requestOf(parsed.value) : {};
      return this.#send(errorLine(command.error, question));
    }
    if (this.#readOnly && !readOnlyTypes.has(command.value.type)) {
      return this.#send(errorLine(readOnly(command.value.type), command.value));
    }
    const open = this.#carryOut(command.value).catch((error: unknown) =>
      this.#send(errorLine(this.#context.logDefect(error), command.value)),
    );
    this.#open.add(open);
    void open.finally(() => this.#open.delete(open));
    if (this.#open.size >= MAX_OPEN_COMMANDS) await Promise.race(this.#open);
  }

  /** Runs in the order of the lines up to its first await, so that messages keep their order. */
  async #carryOut(command: SessionCommand): Promise<void> {
    const { session } = this.#context;
    switch (command.type) {
      case "attach":
        return this.#attach(command);
      case "history":
        return this.#fetch(() => historyAnswer(session.log, command));
      case "search":
        return this.#fetch(() => foundAnswer(session.log, command));
      case "status":
        return this.#send(statusLine(statusAnswer(this.#context, command), session.log));
      case "get_blob":
        return this.#fetch(() => blobAnswer(session.log, command));
      case "ping":
        return this.#answer({ type: "pong", ...refOf(command), at: hostTime() });
      case "shutdown":
        await this.#acknowledge(command);
        return this.#context.end();
      default:
        return this.#acknowledge(command, await session.handle(command, this.#name, this.#link));
    }
  }

  /** Sends the command's own answer, or else `ok` if the client asked for one. */
  async #acknowledge(command: SessionCommand, answer?: CommandAnswer | void): Promise<void> {
    const { ref } = command;
    if (answer && answer.type !== "ok") return this.#answer({ ...answer, ...refOf(command) });
    if (ref === undefined) return;
    const id = command.type === "message" ? command.id : undefined;
    const over = messageOver(this.#context.session.log.state, id);
    await this.#answer({ type: "ok", ...answer, ref, ...(over && { over }) });
  }

  async #attach(command: SessionCommandOf<"attach">): Promise<void> {
    const { session, names } = this.#context;
    const { log } = session;
    // It would keep its name for ever.
    if (this.#isGone) return;
    if (command.client !== undefined) {
      const wanted = checkClientName(command.client);
      names.release(this.#name);
      this.#name = names.take(wanted);
      this.#wantedName = wanted;
      this.#context.clientsChanged();
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

  #attached(since: number, reset: boolean, question: ClientRequest): SessionAnswer {
    const { logId: log_id, epoch, lastSeq: last_seq } = this.#context.session.log;
    const place = { log_id, epoch, last_seq };
    return { type: "attached", ...refOf(question), ...place, since, reset, client: this.#name };
  }

  /** One at a time, and only when earlier output has been read: however much a client requests, one answer waits. */
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

  async #tell(line: SessionAnswer): Promise<void> {
    try {
      await this.#answer(line);
    } catch (error) {
      this.#context.logDefect(error);
    }
  }

  /** Waits while the queue is full. A client that is gone needs no answer. */
  async #send(line: Uint8Array): Promise<void> {
    try {
      while (!this.#channel.trySend(line)) await this.#channel.drained();
    } catch {
      // The client has left.
    }
  }

  async #giveUp(error: unknown): Promise<void> {
    await this.#send(errorLine(this.#context.logDefect(error), {}));
    await this.#channel.close();
  }
}

const linkOf = (
  names: () => Pick<ClientLink, "name" | "wantedName">,
  send: (line: SessionAnswer) => Promise<void>,
): ClientLink => ({
  get name() {
    return names().name;
  },
  get wantedName() {
    return names().wantedName;
  },
  tell: (line) => void send(line),
});

const readOnly = (type: string) =>
  errorOf("read_only", `An observer cannot send ${type}: this socket only shows the session.`);
