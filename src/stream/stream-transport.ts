import type { Parsed } from "../wire/json-payload.ts";

/**
 * One connection to a server: JSON Lines over a Unix socket, messages of a WebSocket, or anything else that keeps
 * the order. Iterate once; the loop ends with the connection. `Channel` of `net` is one.
 */
export interface StreamTransport<Line> extends AsyncIterable<Parsed> {
  /** @throws when the line cannot be encoded, or with `connection_lost`. */
  send(line: Line): Promise<void>;
  /** Idempotent. */
  close(): Promise<void>;
}

/** One try to connect. @throws when there is no connection, or the signal's reason when it was aborted. */
export type StreamConnect<Line> = (signal: AbortSignal) => Promise<StreamTransport<Line>>;
