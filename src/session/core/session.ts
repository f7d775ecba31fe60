// What the other parts of the session see of its core.
import { LiveSession } from "./live-session.ts";
import type { Session, SessionOptions } from "./session-types.ts";

export type {
  ClientLink,
  SessionEnd,
  LostConversationPolicy,
  Session,
  SessionOptions,
  StatusFields,
} from "./session-types.ts";

/**
 * Starts a session, or resumes the one in the log. Resolves as soon as it takes commands, which is before the CLI is
 * up.
 * @throws `cwd_not_found`, `cli_not_found` at once; later failures end the session.
 */
export function startSession(options: SessionOptions): Promise<Session> {
  return LiveSession.start(options);
}
