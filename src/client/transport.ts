import type { Parsed } from "../wire/payload.ts";
import type { SessionCommandInput } from "../wire/session-commands.ts";

/**
 * One connection to a session: JSON Lines over a Unix socket, messages of a WebSocket, or whatever else
 * keeps the order. Iterate once; the loop ends when the connection does. `Channel` of `net` is one.
 */
export interface Transport extends AsyncIterable<Parsed> {
  /** @throws when the command cannot be encoded, or with `connection_lost`. */
  send(command: SessionCommandInput): Promise<void>;
  /** May be called again. */
  close(): Promise<void>;
}

/** One try to connect. @throws when there is no connection, or the signal's reason when it was aborted. */
export type Connect = (signal: AbortSignal) => Promise<Transport>;
