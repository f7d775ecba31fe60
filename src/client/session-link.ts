import { fromWire } from "../wire/error-wire.ts";
import type { ClaudeCodeError } from "../wire/errors.ts";
import { errorOf } from "../wire/errors.ts";
import { isRecord } from "../wire/json.ts";
import type { Parsed } from "../wire/payload.ts";
import type { SessionAnswerOf, SessionMessage } from "../wire/session-answers.ts";
import { parseSessionMessage } from "../wire/session-answers.ts";
import type { SessionEvent } from "../wire/session-events.ts";
import { SESSION_PROTOCOL_VERSION } from "../wire/version.ts";
import type { OpenCommands } from "./open-commands.ts";
import type { Transport } from "./transport.ts";

export type Init = SessionAnswerOf<"init">;
export type Attached = SessionAnswerOf<"attached">;

/** The last event that a client has, in which log, and as which start of the host told it. */
export interface Place {
  readonly since: number;
  readonly logId?: string | undefined;
  readonly epoch?: number | undefined;
}

export interface LinkHandlers {
  /** Also in the middle of a connection, when a slow reader has to begin anew. */
  readonly onAttached: (init: Init, attached: Attached) => void;
  readonly onEvent: (event: SessionEvent) => void;
  /** What was sent cannot be used; the connection goes on without it. */
  readonly onProblem: (error: ClaudeCodeError) => void;
  /** Awaited after each message: the session is slowed down to the pace of the reader. */
  readonly whenReady: () => Promise<void> | undefined;
}

const ATTACH_REF = "attach";

/** One connection, from `init` to its end: every event after `place` once and in order. */
export class SessionLink {
  readonly #transport: Transport;
  readonly #number: number;
  readonly #name: string;
  readonly #commands: OpenCommands;
  readonly #handlers: LinkHandlers;
  readonly #from: Place | "latest";
  #init: Init | undefined;
  #attached: Attached | undefined;
  #last = 0;
  /** After a reset the numbers begin somewhere else. */
  #mayJump = false;

  constructor(
    transport: Transport,
    about: {
      readonly number: number;
      readonly name: string;
      readonly from: Place | "latest";
      readonly commands: OpenCommands;
      readonly handlers: LinkHandlers;
    },
  ) {
    this.#transport = transport;
    this.#number = about.number;
    this.#name = about.name;
    this.#from = about.from;
    this.#commands = about.commands;
    this.#handlers = about.handlers;
  }

  get place(): Place | "latest" {
    if (!this.#attached) return this.#from;
    const { log_id, epoch } = this.#attached;
    return { since: this.#last, logId: log_id, epoch };
  }

  /** Resolves with the reason when the connection has ended. Never rejects. */
  async follow(): Promise<ClaudeCodeError> {
    try {
      for await (const parsed of this.#transport) {
        await this.#take(parsed);
        await this.#handlers.whenReady();
      }
      return connectionLost("The session closed the connection.");
    } catch (thrown) {
      return thrown instanceof Error && "code" in thrown
        ? (thrown as ClaudeCodeError)
        : connectionLost(`The connection failed: ${String(thrown)}.`, thrown);
    } finally {
      await this.#transport.close();
    }
  }

  /** Sends the commands that have not been sent on this connection, as far as it may be known that they must. */
  sendCommands(): void {
    if (!this.#attached) return;
    const { last_seq } = this.#attached;
    const on = { connection: this.#number, lastSeq: Math.max(this.#last, last_seq) };
    // Before all was replayed it is not known which of the old ones have been carried out.
    for (const command of this.#commands.takeUnsent(on, this.#last >= last_seq)) {
      this.#transport.send(command).catch((error: unknown) => {
        // A lost connection is no end: the command goes out on the next one.
        if (!isLost(error)) this.#commands.fail(command.ref, error);
      });
    }
  }

  async #take(parsed: Parsed): Promise<void> {
    const checked = parsed.ok ? parseSessionMessage(parsed.value) : parsed;
    if (checked.ok) {
      await this.#receive(checked.value);
      return;
    }
    if (isLost(checked.error)) throw checked.error;
    // A later version may tell more than this one knows: that is no problem, but it has a number.
    if (checked.error.code !== "method_not_found") this.#handlers.onProblem(checked.error);
    const seq = parsed.ok && isRecord(parsed.value) ? parsed.value["seq"] : undefined;
    if (typeof seq === "number" && this.#attached && this.#advance(seq)) this.#passed(seq);
  }

  async #receive(message: SessionMessage): Promise<void> {
    if (isEvent(message)) {
      // What comes before `attached` will be told again.
      if (this.#attached && this.#advance(message.seq)) this.#tell(message);
    } else if (message.type === "init") await this.#attach(message);
    else if (message.type === "attached") this.#begin(message);
    else if (message.type === "error" && message.ref === ATTACH_REF) throw fromWire(message);
    else if (!this.#commands.answer(message) && message.type === "error") {
      this.#handlers.onProblem(fromWire(message));
    }
  }

  async #attach(init: Init): Promise<void> {
    if (init.protocol !== SESSION_PROTOCOL_VERSION) throw otherProtocol(init.protocol);
    this.#init = init;
    const from = this.#from;
    const place = from === "latest" ? { since: init.last_seq, logId: init.log_id } : from;
    await this.#transport.send({
      type: "attach",
      ref: ATTACH_REF,
      client: this.#name,
      since: place.since,
      ...(place.logId !== undefined && { log_id: place.logId }),
      ...("epoch" in place && place.epoch !== undefined && { epoch: place.epoch }),
    });
  }

  #begin(attached: Attached): void {
    if (!this.#init) throw errorOf("invalid_request", "The session sent attached before init.");
    this.#attached = attached;
    this.#last = attached.since;
    this.#mayJump = attached.reset;
    this.#handlers.onAttached(this.#init, attached);
    this.sendCommands();
  }

  /** False for an event that is known. @throws when events are missing before it. */
  #advance(seq: number): boolean {
    if (seq <= this.#last) return false;
    if (seq !== this.#last + 1 && !this.#mayJump) throw gap(this.#last, seq);
    this.#mayJump = false;
    this.#last = seq;
    return true;
  }

  #tell(event: SessionEvent): void {
    this.#commands.observe(event);
    this.#handlers.onEvent(event);
    this.#passed(event.seq);
  }

  /** To be called when the event has been dealt with, also one of which only the number could be used. */
  #passed(seq: number): void {
    if (seq === this.#attached?.last_seq) this.sendCommands();
  }
}

export const connectionLost = (message: string, cause?: unknown): ClaudeCodeError =>
  errorOf("connection_lost", message, { cause });

const isEvent = (message: SessionMessage): message is SessionEvent => message.seq !== undefined;

const isLost = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "connection_lost";

function gap(last: number, seq: number): ClaudeCodeError {
  return errorOf("internal", `The session sent event ${seq} after ${last}.`, {
    data: { last, seq },
  });
}

function otherProtocol(theirs: number): ClaudeCodeError {
  const message = `The session speaks version ${theirs} of the protocol, this client version ${SESSION_PROTOCOL_VERSION}.`;
  return errorOf("invalid_request", message, {
    hint: "Use a client of the same version as the session.",
    data: { session: theirs, client: SESSION_PROTOCOL_VERSION },
  });
}
