import { isUtf8 } from "node:buffer";
import type { ScriptIssue } from "./script-issues.ts";

/** What a decoder puts in the place of bytes that it cannot read. A text may have it in its own right. */
const replacement = "\uFFFD";

/** Where bytes are no UTF-8, by line and column; undefined when they are. */
export function utf8Issue(bytes: Buffer): ScriptIssue | undefined {
  if (isUtf8(bytes)) return undefined;
  const text = bytes.toString("utf8");
  let at = text.indexOf(replacement);
  while (isWritten(bytes, text, at)) at = text.indexOf(replacement, at + 1);
  const before = text.slice(0, at).split("\n");
  const place = { line: before.length, column: (before.at(-1) ?? "").length + 1 };
  return { place, path: "", message: "This is not UTF-8." };
}

/** Up to the first fault, text and bytes go side by side. */
function isWritten(bytes: Buffer, text: string, at: number): boolean {
  const offset = Buffer.byteLength(text.slice(0, at));
  return bytes.subarray(offset, offset + 3).equals(Buffer.from(replacement));
}
