import { ClaudeCodeError } from "../../wire/errors.ts";
import { encodeLine } from "../../wire/lines.ts";
import type { SessionAnswerOf } from "../../wire/session-answers.ts";
import type { EventLog } from "../log/event-log.ts";

/**
 * The line of an answer that lists what is pending. Each request fits into a line of its own, but all of them
 * together may not: then they are given with references, as a large payload is.
 *
 * @throws `message_too_large` when it is something else that is too large; `log_write_failed`.
 */
export function statusLine(
  answer: SessionAnswerOf<"init"> | SessionAnswerOf<"status">,
  log: EventLog,
): Uint8Array {
  try {
    return encodeLine(answer);
  } catch (error) {
    if (!(error instanceof ClaudeCodeError && error.code === "message_too_large")) throw error;
    const pending = answer.pending.map((request) => log.lighten(request));
    return encodeLine({ ...answer, pending });
  }
}
