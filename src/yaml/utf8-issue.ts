import { isUtf8 } from "node:buffer";
import type { FileIssue } from "./file-issue.ts";

/** What a decoder writes for bytes that it cannot read. A text may also contain this character itself. */
const replacement = "\uFFFD";

/** The first place where bytes are not UTF-8; undefined when all of them are. */
export function utf8Issue(bytes: Buffer): FileIssue | undefined {
  if (isUtf8(bytes)) return undefined;
  const text = bytes.toString("utf8");
  let at = text.indexOf(replacement);
  while (isWritten(bytes, text, at)) at = text.indexOf(replacement, at + 1);
  const before = text.slice(0, at).split("\n");
  const position = { line: before.length, column: (before.at(-1) ?? "").length + 1 };
  return { position, path: "", message: "This is not UTF-8." };
}

/** True when the character at `at` is in the bytes too. Up to the first fault, offsets in text and bytes correspond. */
function isWritten(bytes: Buffer, text: string, at: number): boolean {
  const offset = Buffer.byteLength(text.slice(0, at));
  return bytes.subarray(offset, offset + 3).equals(Buffer.from(replacement));
}
