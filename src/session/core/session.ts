// What the other parts of the session see of its core.
import { LiveSession } from "./live-session.ts";
import type { Session, SessionOptions } from "./session-types.ts";

export type { Ended, Session, SessionOptions, StatusFields } from "./session-types.ts";

/**
 * Starts a session, or takes up the one that the log tells of. Resolves as soon as commands may be given,
 * which is before the CLI is up.
 * @throws `cwd_not_found`, `cli_not_found` at once; what goes wrong later ends the session.
 */
export function startSession(options: SessionOptions): Promise<Session> {
  return LiveSession.start(options);
}
