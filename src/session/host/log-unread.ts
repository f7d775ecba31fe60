import type { DebugEvent } from "../../engine/events.ts";
import type { Logger } from "../../log/logger.ts";

/**
 * A CLI of another version says things that this one does not know; most of them matter to nobody. What it could
 * not read may be missing from the session. The words themselves may be private, so they are for `debug` alone.
 */
export function logUnread({ sdk_type, message, problem }: DebugEvent, logger: Logger): void {
  if (problem !== undefined) {
    logger.warn({ sdk_type, problem }, "a message of Claude Code could not be read");
  }
  logger.debug({ sdk_type, message }, "a message of Claude Code was passed over");
}
