import { Buffer } from "node:buffer";
import { MAX_CONTENT_BYTES } from "../../wire/team/messages.ts";
import { cutBytes } from "../../text/cut-bytes.ts";

/** No text is lost for being longer than a message may be: its end is cut off, and it says so. */
export function cutToLimit(text: string): string {
  if (Buffer.byteLength(text) <= MAX_CONTENT_BYTES) return text;
  const mark = "\n[cut: it was longer than a message may be]";
  return `${cutBytes(text, MAX_CONTENT_BYTES - mark.length)}${mark}`;
}
