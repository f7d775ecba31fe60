/** A session that can be loaded. */
export interface AcpStoredSession {
  readonly sessionId: string;
  readonly cwd: string;
  readonly title?: string | undefined;
  /** When somebody last said something in it. */
  readonly lastUsed?: string | undefined;
}

/** A host that clients may connect to. */
export interface StartedHost {
  readonly socket: string;
  readonly sessionId: string;
}

/**
 * What this face needs of the program `agent-socket`. Each is one of its public commands, so that a stranger could do the
 * same: `--detach`, `list` and `delete`.
 */
export interface SessionHosts {
  /** Starts a host that outlives us. @throws the host's own error. */
  start(flags: readonly string[]): Promise<StartedHost>;
  /** The socket of the host that runs the session; undefined when none does. */
  socketOf(sessionId: string): Promise<string | undefined>;
  /** The newest first. */
  list(cwd: string | undefined): Promise<readonly AcpStoredSession[]>;
  /** Removes a session that does not run. @throws `session_not_found`; `session_in_use`. */
  remove(sessionId: string): Promise<void>;
}
