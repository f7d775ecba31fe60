import type { ClaudeCodeError } from "../wire/errors.ts";
import { errorOf } from "../wire/errors.ts";
import { isRecord } from "../wire/json.ts";
import type { Parsed } from "../wire/json-payload.ts";
import type { LogCursor, Newest } from "./log-cursor.ts";
import type { OpenCommands } from "./open-commands.ts";
import type { Incoming, StreamAttached, StreamProtocol, StreamTypes } from "./stream-protocol.ts";
import type { StreamTransport } from "./stream-transport.ts";

export interface LinkHandlers<Types extends StreamTypes> {
  /** Also in the middle of a connection, when a slow reader has to start over. */
  readonly onAttached: (init: Types["init"], attached: StreamAttached) => void;
  readonly onEvent: (event: Types["event"]) => void;
  readonly onLive: (item: Types["live"]) => void;
  /** A received line cannot be used; the connection continues without it. */
  readonly onProblem: (error: ClaudeCodeError) => void;
  /** Awaited after each message: slows the server down to the reader's pace. */
  readonly whenReady: () => Promise<void> | undefined;
}

/** What a link is made of. */
export interface LinkParts<Types extends StreamTypes> {
  readonly protocol: StreamProtocol<Types>;
  /** The number of the connection. */
  readonly number: number;
  readonly name: string | undefined;
  readonly from: LogCursor | Newest;
  readonly commands: OpenCommands<Types>;
  readonly handlers: LinkHandlers<Types>;
}

/** One connection, from `init` to its end: every event after the cursor once and in order. */
export class StreamLink<Types extends StreamTypes> {
  readonly #transport: StreamTransport<Types["line"]>;
  readonly #parts: LinkParts<Types>;
  #from: LogCursor | Newest;
  #init: Types["init"] | undefined;
  #attached: StreamAttached | undefined;
  #last = 0;
  /** After a reset the numbers continue somewhere else. */
  #mayJump = false;

  constructor(transport: StreamTransport<Types["line"]>, parts: LinkParts<Types>) {
    this.#transport = transport;
    this.#parts = parts;
    this.#from = parts.from;
  }

  get place(): LogCursor | Newest {
    if (!this.#attached) return this.#from;
    const { log_id, epoch } = this.#attached;
    return { since: this.#last, logId: log_id, epoch };
  }

  /** Resolves with the reason when the connection has ended. Never rejects. */
  async follow(): Promise<ClaudeCodeError> {
    const { protocol, handlers } = this.#parts;
    try {
      for await (const parsed of this.#transport) {
        await this.#take(parsed);
        await handlers.whenReady();
      }
      return connectionLost(`The ${protocol.peer} closed the connection.`);
    } catch (thrown) {
      return thrown instanceof Error && "code" in thrown
        ? (thrown as ClaudeCodeError)
        : connectionLost(`The connection failed: ${String(thrown)}.`, thrown);
    } finally {
      await this.#transport.close();
    }
  }

  /** Asks for the events after another place. What is on its way for the old place is passed over. */
  moveTo(cursor: LogCursor): void {
    this.#from = cursor;
    this.#attached = undefined;
    // A connection that is lost attaches at this place when it is back.
    if (this.#init) this.#attach(this.#init).catch(() => {});
  }

  /** Sends the commands that were not sent on this connection, as soon as we know that they must be. */
  sendCommands(): void {
    if (!this.#attached) return;
    const { commands, number, protocol } = this.#parts;
    const { last_seq } = this.#attached;
    const on = { connection: number, lastSeq: Math.max(this.#last, last_seq) };
    // Until everything was replayed, we do not know which of the old commands have been carried out.
    for (const { ref, command } of commands.takeUnsent(on, this.#last >= last_seq)) {
      this.#transport.send(protocol.lineOf(command, ref)).catch((error: unknown) => {
        // After a lost connection the command is sent on the next one.
        if (!isLost(error)) commands.refuse(ref, error);
      });
    }
  }

  async #take(parsed: Parsed): Promise<void> {
    const { protocol, handlers } = this.#parts;
    const checked = parsed.ok ? protocol.read(parsed.value) : parsed;
    if (checked.ok) {
      await this.#receive(checked.value);
      return;
    }
    if (isLost(checked.error)) throw checked.error;
    // An event type of a later version is not a problem, but its number counts.
    if (checked.error.code !== "method_not_found") handlers.onProblem(checked.error);
    const seq = parsed.ok && isRecord(parsed.value) ? parsed.value["seq"] : undefined;
    if (typeof seq === "number" && this.#attached && this.#advance(seq)) this.#passed(seq);
  }

  async #receive(message: Incoming<Types>): Promise<void> {
    const { commands, handlers, protocol } = this.#parts;
    switch (message.kind) {
      case "event":
        // Events before `attached` will be sent again.
        if (this.#attached && this.#advance(message.event.seq)) this.#tell(message.event);
        return;
      case "live":
        return handlers.onLive(message.item);
      case "init":
        this.#init = message.init;
        return this.#attach(message.init);
      case "attached":
        return this.#begin(message.attached);
      case "answer":
        commands.answer(message.ref, message.answer);
        return;
      case "refusal": {
        const { ref, error } = message;
        if (ref !== undefined && protocol.attachRefs.includes(ref)) throw error;
        if (!commands.refuse(ref, error)) handlers.onProblem(error);
      }
    }
  }

  async #attach(init: Types["init"]): Promise<void> {
    const { protocol, name } = this.#parts;
    const from =
      "newest" in this.#from
        ? { since: Math.max(init.last_seq - this.#from.newest, 0), logId: init.log_id }
        : this.#from;
    for (const line of protocol.attach(init, from, name)) await this.#transport.send(line);
  }

  #begin(attached: StreamAttached): void {
    const { handlers, protocol } = this.#parts;
    if (!this.#init) {
      throw errorOf("invalid_request", `The ${protocol.peer} sent attached before init.`);
    }
    this.#attached = attached;
    this.#last = attached.since;
    this.#mayJump = attached.reset;
    handlers.onAttached(this.#init, attached);
    this.sendCommands();
  }

  /** Returns false for a known event. @throws when events before it are missing. */
  #advance(seq: number): boolean {
    if (seq <= this.#last) return false;
    if (seq !== this.#last + 1 && !this.#mayJump) {
      const message = `The ${this.#parts.protocol.peer} sent event ${seq} after ${this.#last}.`;
      throw errorOf("internal", message, { data: { last: this.#last, seq } });
    }
    this.#mayJump = false;
    this.#last = seq;
    return true;
  }

  #tell(event: Types["event"]): void {
    this.#parts.commands.observe(event);
    this.#parts.handlers.onEvent(event);
    this.#passed(event.seq);
  }

  /** Call this when the event has been handled, also when only its number could be used. */
  #passed(seq: number): void {
    if (seq === this.#attached?.last_seq) this.sendCommands();
  }
}

export const connectionLost = (message: string, cause?: unknown): ClaudeCodeError =>
  errorOf("connection_lost", message, { cause });

const isLost = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "connection_lost";
