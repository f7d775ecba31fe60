import { listSessions } from "@anthropic-ai/claude-agent-sdk";

/** A session that the CLI can resume. */
export interface StoredSession {
  session_id: string;
  /** The title that the person gave it, or else a summary. */
  title: string;
  cwd?: string;
  /** Milliseconds since the epoch. */
  lastUsedMs: number;
}

export interface StoredSessionsQuery {
  /** The CLI's directory, if it differs from this process's environment. */
  configDir?: string;
  /** Only those of this directory. */
  cwd?: string;
  limit?: number;
}

/** The sessions in the CLI's files, newest first. */
export async function storedSessions(query: StoredSessionsQuery = {}): Promise<StoredSession[]> {
  const { configDir, cwd, limit } = query;
  const found = await inConfigDir(configDir, () =>
    listSessions({
      includeWorktrees: false,
      ...(cwd !== undefined && { dir: cwd }),
      ...(limit !== undefined && { limit }),
    }),
  );
  return found.map((session) => ({
    session_id: session.sessionId,
    title: session.customTitle ?? session.summary,
    ...(session.cwd !== undefined && { cwd: session.cwd }),
    lastUsedMs: session.lastModified,
  }));
}

let last: Promise<unknown> = Promise.resolve();

/**
 * The SDK reads the directory only from this process's environment, so the calls run one after the other: concurrent
 * calls would see each other's directory, and the later one would restore the wrong value.
 */
function inConfigDir<T>(configDir: string | undefined, work: () => Promise<T>): Promise<T> {
  const done = last.then(() => withConfigDir(configDir, work));
  last = done.catch(() => {});
  return done;
}

async function withConfigDir<T>(configDir: string | undefined, work: () => Promise<T>): Promise<T> {
  const before = process.env["CLAUDE_CONFIG_DIR"];
  if (configDir === undefined || configDir === before) return work();
  process.env["CLAUDE_CONFIG_DIR"] = configDir;
  try {
    return await work();
  } finally {
    if (before === undefined) delete process.env["CLAUDE_CONFIG_DIR"];
    else process.env["CLAUDE_CONFIG_DIR"] = before;
  }
}
