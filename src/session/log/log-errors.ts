import { basename } from "node:path";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { errorOf } from "../../wire/errors.ts";
import { reasonOf, systemCode } from "../../net/system-error.ts";

/** Something stands in the log that no crash can have left there. */
export function damaged(path: string, offset: number, what: string): ClaudeCodeError {
  return errorOf("log_damaged", `${path} is damaged at byte ${offset}: ${what}`, {
    data: { file: basename(path), offset },
  });
}

export function writeFailed(path: string, cause: unknown): ClaudeCodeError {
  const code = systemCode(cause);
  return errorOf(
    "log_write_failed",
    `The log could not be written to ${path}: ${reasonOf(cause)}`,
    {
      data: { file: basename(path), ...(code !== undefined && { system_code: code }) },
      cause,
    },
  );
}
