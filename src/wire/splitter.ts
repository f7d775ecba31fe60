import type { ClaudeCodeError } from "./errors.ts";
import type { Parsed } from "./payload.ts";
import { parseJson } from "./payload.ts";

/** One message of a stream, still as bytes, or the reason why there is none in its place. */
export type Split = { ok: true; bytes: Uint8Array } | { ok: false; error: ClaudeCodeError };

/** Cuts a stream of bytes into messages, however the stream was chunked. */
export interface Splitter {
  /**
   * Takes the next bytes and gives the messages that they complete, in order. A message over the
   * bound is reported as soon as that is known, skipped without being held, and the stream goes on.
   *
   * The bytes of a message that lay in one chunk are a view of that chunk: whoever overwrites chunks
   * must be done with them first. A message that was put together from several has its own memory.
   */
  push(chunk: Uint8Array): Split[];

  /** To be called once, after the last chunk: `connection_lost` when the stream ended inside a message. */
  end(): ClaudeCodeError | undefined;
}

/** The second stage: the JSON value of a message, or the error that took its place. */
export function decode(split: Split): Parsed {
  return split.ok ? parseJson(split.bytes) : split;
}
