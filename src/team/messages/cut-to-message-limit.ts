import { Buffer } from "node:buffer";
import { MAX_CONTENT_BYTES } from "../../wire/team/messages.ts";
import { cutBytes } from "../../text/cut-bytes.ts";

/** Cuts a text that is longer than a message may be, and says so at its end, instead of losing all of it. */
export function cutToMessageLimit(text: string): string {
  if (Buffer.byteLength(text) <= MAX_CONTENT_BYTES) return text;
  const mark = "\n[cut: it was longer than a message may be]";
  return `${cutBytes(text, MAX_CONTENT_BYTES - mark.length)}${mark}`;
}
