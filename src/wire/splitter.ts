import type { ClaudeCodeError } from "./errors.ts";
import type { Parsed } from "./json-payload.ts";
import { parseJson } from "./json-payload.ts";

/** One message of a stream, still as bytes, or the error in its place. */
export type Split = { ok: true; bytes: Uint8Array } | { ok: false; error: ClaudeCodeError };

/** Cuts a stream of bytes into messages, however it was chunked. */
export interface Splitter {
  /**
   * Takes the next bytes and returns the messages that they complete, in order. A message over the bound is reported
   * as soon as that is known, skipped without being held, and the stream goes on.
   *
   * The bytes of a message within one chunk are a view of that chunk: process them before you overwrite the chunk. A
   * message from several chunks has its own memory.
   */
  push(chunk: Uint8Array): Split[];

  /** Call this once, after the last chunk: returns `connection_lost` when the stream ended inside a message. */
  end(): ClaudeCodeError | undefined;
}

/** The second stage: the JSON value of a message, or the error in its place. */
export function decode(split: Split): Parsed {
  return split.ok ? parseJson(split.bytes) : split;
}
