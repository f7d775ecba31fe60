import type { Checked } from "../wire/check-message.ts";
import type { ClaudeCodeError } from "../wire/errors.ts";
import type { LogCursor } from "./log-cursor.ts";

/** What a server says first. */
export interface StreamInit {
  readonly log_id: string;
  readonly last_seq: number;
}

/** From where on the server sends events. */
export interface StreamAttached {
  readonly log_id: string;
  readonly epoch?: number | undefined;
  readonly since: number;
  readonly last_seq: number;
  /** The log does not have the place that the client named: what the client knows no longer counts. */
  readonly reset: boolean;
  /** The name that the server has given the client. */
  readonly client?: string | undefined;
}

/** The types of one protocol. */
export interface StreamTypes {
  readonly init: StreamInit;
  /** What is in the log. */
  readonly event: { readonly seq: number };
  /** What is sent as it happens and is not in the log. */
  readonly live: unknown;
  readonly command: unknown;
  readonly answer: unknown;
  /** What a client sends, as it goes to the transport. */
  readonly line: unknown;
}

/** A line from the server, by what it is. */
export type Incoming<Types extends StreamTypes> =
  | { readonly kind: "init"; readonly init: Types["init"] }
  | { readonly kind: "attached"; readonly attached: StreamAttached }
  | { readonly kind: "event"; readonly event: Types["event"] }
  | { readonly kind: "live"; readonly item: Types["live"] }
  | { readonly kind: "answer"; readonly ref: string | undefined; readonly answer: Types["answer"] }
  | { readonly kind: "refusal"; readonly ref: string | undefined; readonly error: ClaudeCodeError };

/** How a protocol writes what every stream has: `init`, `attach`, numbered events, and answers under a ref. */
export interface StreamProtocol<Types extends StreamTypes> {
  /** The other side, in errors: "The session closed the connection." */
  readonly peer: string;
  /** The refs of the lines of `attach`: when the server refuses one of these, there is no connection. */
  readonly attachRefs: readonly string[];
  read(value: unknown): Checked<Incoming<Types>>;
  /** The lines that ask for every event after the cursor. @throws when the server's version is another one. */
  attach(init: Types["init"], from: LogCursor, name: string | undefined): Types["line"][];
  /** A command under its ref. */
  lineOf(command: Types["command"], ref: string): Types["line"];
}
