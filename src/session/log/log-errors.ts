import { basename } from "node:path";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import { reasonOf, systemCode } from "../../files/system-error-code.ts";

/** The log contains something that no crash can have left there. */
export function damaged(path: string, offset: number, what: string): ClaudeCodeError {
  return errorOf("log_damaged", `${path} is damaged at byte ${offset}: ${what}`, {
    data: { file: basename(path), offset },
  });
}

/** The log is closed. Events that waited for the disk until then are lost. */
export const logClosed = (): ClaudeCodeError =>
  errorOf("log_write_failed", "The log is closed.", { data: { closed: true } });

export const isLogClosed = (error: unknown): boolean =>
  error instanceof ClaudeCodeError && error.code === "log_write_failed" && !!error.data?.["closed"];

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
