import {
  archiveSession,
  deleteSession,
  listSessions,
  renameSession,
  unarchiveSession,
} from "@anthropic-ai/claude-agent-sdk";

/** A session that the CLI can resume. */
export interface StoredSession {
  session_id: string;
  /** The title that the person gave it, or else a summary. */
  title: string;
  cwd?: string;
  /** A person has put it away, and has said nothing in it since. */
  archived: boolean;
  /** Milliseconds since the epoch. */
  lastUsedMs: number;
}

export interface StoredSessionsQuery {
  /** The CLI's directory, if it differs from this process's environment. */
  configDir?: string;
  /** Only those of this directory. */
  cwd?: string;
  limit?: number;
  /** Those that were archived, too. */
  all?: boolean;
}

/** The sessions in the CLI's files, newest first. */
export async function storedSessions(query: StoredSessionsQuery = {}): Promise<StoredSession[]> {
  const { limit, all = false } = query;
  // To read a file of each costs time, so we ask for no more than are likely to be needed.
  for (let asked = limit; ; asked = asked === undefined ? asked : 2 * asked) {
    const found = await listStored(query, asked);
    const wanted = found.filter(({ archived }) => all || !archived);
    const isAll = asked === undefined || found.length < asked;
    if (isAll || wanted.length >= (limit ?? 0)) return wanted.slice(0, limit);
  }
}

async function listStored(
  { configDir, cwd }: StoredSessionsQuery,
  limit: number | undefined,
): Promise<StoredSession[]> {
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
    archived: session.archived === true,
    lastUsedMs: session.lastModified,
  }));
}

/** What can be done with a stored session. Each throws when the CLI has no such session. */
export const storedSessionChanges = {
  rename: (id: string, title: string, configDir: string | undefined): Promise<void> =>
    inConfigDir(configDir, () => renameSession(id, title)),
  archive: (id: string, configDir: string | undefined): Promise<void> =>
    inConfigDir(configDir, () => archiveSession(id)),
  unarchive: (id: string, configDir: string | undefined): Promise<void> =>
    inConfigDir(configDir, () => unarchiveSession(id)),
  /** Also the files of its sub-agents. */
  delete: (id: string, configDir: string | undefined): Promise<void> =>
    inConfigDir(configDir, () => deleteSession(id)),
};

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
