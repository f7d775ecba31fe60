import { ClaudeCodeError } from "../../wire/errors.ts";
import { DiskLog } from "./disk-log.ts";
import type { EventLog, LogOptions } from "./event-log.ts";
import { writeFailed } from "./log-errors.ts";

/**
 * Opens the log in a directory, or creates one there. Cuts off a last line that a crash tore, with a `notice`.
 * @throws `log_damaged` with file and offset when anything else is wrong; `log_write_failed`.
 */
export function openLog(directory: string, options: LogOptions = {}): EventLog {
  try {
    return new DiskLog(directory, options);
  } catch (error) {
    throw error instanceof ClaudeCodeError ? error : writeFailed(directory, error);
  }
}
