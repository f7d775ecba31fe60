import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { systemCode } from "../../files/system-error-code.ts";
import type { ChangeProblem } from "../../wire/session/file-change.ts";

/** A larger file is not compared: it is read while the session waits. */
const MAX_FILE_BYTES = 2_097_152;

/** What a file holds now, or why that cannot be said. */
export type FileText =
  | { readonly state: "text"; readonly text: string }
  | { readonly state: "absent" }
  | { readonly state: "unknown"; readonly problem: ChangeProblem };

const unknown = (problem: ChangeProblem): FileText => ({ state: "unknown", problem });

/** Never throws, and never waits for another program: a pipe or a device is not read. */
export function readText(path: string): FileText {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch (error) {
    return systemCode(error) === "ENOENT" ? { state: "absent" } : unknown("unreadable");
  }
  try {
    const about = fstatSync(fd);
    if (!about.isFile()) return unknown("unreadable");
    if (about.size > MAX_FILE_BYTES) return unknown("too_large");
    // One byte more shows that the file has grown since.
    const bytes = Buffer.alloc(MAX_FILE_BYTES + 1);
    let filled = 0;
    for (;;) {
      const count = readSync(fd, bytes, filled, bytes.length - filled, filled);
      filled += count;
      if (filled > MAX_FILE_BYTES) return unknown("too_large");
      if (count === 0) return decoded(bytes.subarray(0, filled));
    }
  } catch {
    return unknown("unreadable");
  } finally {
    closeSync(fd);
  }
}

function decoded(bytes: Buffer): FileText {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  try {
    const text = new TextDecoder(isUtf16 ? "utf-16le" : "utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? unknown("binary") : { state: "text", text };
  } catch {
    return unknown("binary");
  }
}
