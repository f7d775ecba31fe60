import { Buffer } from "node:buffer";
import { cutBytes } from "../../text/cut-bytes.ts";
import type { CCMessage } from "../../wire/team/messages.ts";

/** The content, or as much of it as a model should get without asking. */
export function shortenForModel({ id, content }: CCMessage, inlineBytes: number): string {
  const bytes = Buffer.byteLength(content);
  if (bytes <= inlineBytes) return content;
  return `${cutBytes(content, inlineBytes)}\n[This is the beginning of ${bytes} bytes. Read the rest with read_message {"id": "${id}"}.]`;
}
