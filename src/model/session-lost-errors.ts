import { fromWire } from "../wire/error-wire.ts";
import type { WireError } from "../wire/error-wire.ts";
import type { ClaudeCodeError } from "../wire/errors.ts";
import { errorOf } from "../wire/errors.ts";

/** The error of a request whose session is gone: how it ended, and how to continue. */
export function sessionLost(end: WireError | undefined, sessionId: string): ClaudeCodeError {
  const error = end ? fromWire(end) : errorOf("cli_exited", "Claude Code ended too early.");
  if (error.code !== "cli_exited") return error;
  const begun = sessionId !== "";
  return errorOf("cli_exited", error.message, {
    cause: error,
    data: { ...error.data, ...(begun && { session_id: sessionId }) },
    hint: begun
      ? `Tools may have done part of their work. Send the request again, or go on with resume: "${sessionId}".`
      : "It ended before the session started, so nothing was done. Send the request again.",
  });
}

const SEND_AGAIN =
  "Send the same messages again: another session continues from all of them, and no tool runs again.";

/** The same for a session that ended while it waited for results of the caller's tools. */
export function lostWhileHeld(end: WireError | undefined, sessionId: string): ClaudeCodeError {
  const { code, message, data, cause } = sessionLost(end, sessionId);
  return errorOf(code, `The session that waited for these results is gone. ${message}`, {
    cause,
    ...(data && { data }),
    hint: SEND_AGAIN,
  });
}

/** For results that come after the session has stopped waiting. */
export function heldTooLong(holdMs: number, sessionId: string): ClaudeCodeError {
  const seconds = holdMs / 1000;
  return errorOf(
    "timeout",
    `The session that waited for these results has ended: none came within ${seconds} s.`,
    { data: { timeout_seconds: seconds, session_id: sessionId }, hint: SEND_AGAIN },
  );
}

/** For results that come after the session had to make room. */
export function heldTooMany(maxHeld: number, sessionId: string): ClaudeCodeError {
  return errorOf(
    "aborted",
    `The session that waited for these results has ended: more than ${maxHeld} waited, and it was the oldest.`,
    { data: { max_held: maxHeld, session_id: sessionId }, hint: SEND_AGAIN },
  );
}
