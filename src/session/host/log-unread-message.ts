import type { DebugEvent } from "../../engine/index.ts";
import type { Logger } from "../../log/logger.ts";

/**
 * A CLI of another version may send messages that this version does not know; most of them do not matter. What could
 * not be read may be missing from the session. The contents may be private, so they are logged at `debug` only.
 */
export function logUnreadMessage({ sdk_type, message, problem }: DebugEvent, logger: Logger): void {
  if (problem !== undefined) {
    logger.warn({ sdk_type, problem }, "a message of Claude Code could not be read");
  }
  logger.debug({ sdk_type, message }, "a message of Claude Code was ignored");
}
