import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { describeFileError } from "../files/describe-file-error.ts";
import { makeDirectories } from "../files/make-directories.ts";
import { replaceFile } from "../files/replace-file.ts";
import { systemCode } from "../files/system-error-code.ts";
import { errorOf } from "../wire/errors.ts";
import { isRecord } from "../wire/json.ts";
import type { Ledger } from "./ledger.ts";

const VERSION = 1;
const PRIVATE_DIRECTORY = 0o700;

/**
 * The ledger that a process before has left; undefined when there is none.
 *
 * @throws `log_damaged` for a file that is none of ours: without it, nobody knows what was told.
 */
export function readLedger(path: string): Ledger | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw damaged(path, describeFileError(error));
  }
  const value = parsed(text);
  if (isRecord(value) && value["version"] === VERSION && Array.isArray(value["entries"])) {
    const { version: _, ...ledger } = value;
    return ledger as unknown as Ledger;
  }
  throw damaged(path, "it is not what a notifier of this version writes");
}

/** Survives a loss of power when it returns. @throws `log_write_failed`. */
export function writeLedger(path: string, ledger: Ledger): void {
  try {
    makeDirectories(dirname(path), PRIVATE_DIRECTORY);
    replaceFile(path, `${JSON.stringify({ version: VERSION, ...ledger })}\n`, { durable: true });
  } catch (cause) {
    throw errorOf("log_write_failed", `${path} cannot be written: ${describeFileError(cause)}.`, {
      cause,
      hint: "Free space on its disk, then start the notifier again: it goes on where it was.",
    });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const damaged = (path: string, why: string) =>
  errorOf("log_damaged", `${path} cannot be used: ${why}.`, {
    hint: "Move the file away: the notifier then begins anew, with what waits for you now.",
  });
