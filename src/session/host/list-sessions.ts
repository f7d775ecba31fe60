import { storedSessions } from "../../engine/stored-sessions.ts";
import type { LockRecord } from "../files/lock-record.ts";
import { LogIndex } from "../files/log-index.ts";
import { heldSessions } from "../files/session-lock.ts";
import { stateDirectory } from "../files/state-directory.ts";
import { rehearsalConfigDir } from "./model-environment.ts";

/** A session that can be resumed, or one that runs now. */
export interface ListedSession {
  session_id: string;
  title?: string;
  cwd?: string;
  /** Absent when it has no messages yet. */
  last_used?: string;
  /** A person has put it away, and has said nothing in it since. */
  archived?: true;
  /** The directory of its log. Absent for a session that only plain Claude Code has run. */
  log?: string;
  running?: Running;
}

interface Running {
  pid: number;
  /** Absent while it is starting. */
  socket?: string;
  observe_socket?: string;
  log_id?: string;
  started_at: string;
}

export interface ListQuery {
  /** Those of rehearsals, for which Claude Code has a directory of its own. */
  rehearsal?: boolean | undefined;
  /** Only sessions of this directory. */
  cwd?: string;
  limit?: number;
  /** Those that were archived, too. Running ones are listed anyway. */
  all?: boolean | undefined;
  /** The state directory, if not the default one. */
  stateDir?: string;
}

/** Running sessions first, then the others, newest first. */
export async function listSessions(query: ListQuery = {}): Promise<ListedSession[]> {
  const { rehearsal = false, all = false, stateDir, ...wanted } = query;
  const configDir = rehearsal ? { configDir: rehearsalConfigDir(stateDir) } : {};
  const [held, stored] = await Promise.all([
    heldSessions(),
    storedSessions({ ...wanted, all, ...configDir }),
  ]);
  const inReach = held.filter(({ cwd }) => query.cwd === undefined || cwd === query.cwd);
  const running = inReach.map((record) => ({
    ...told(stored.find(({ session_id }) => session_id === record.session_id)),
    session_id: record.session_id,
    cwd: record.cwd,
    running: runningOf(record),
  }));
  const isRunning = new Set(running.map(({ session_id }) => session_id));
  const others = stored.filter((each) => !isRunning.has(each.session_id)).map(listed);
  const places = new LogIndex(stateDirectory(stateDir));
  return [...running, ...others].map((session) => withLog(session, places));
}

function withLog(session: ListedSession, places: LogIndex): ListedSession {
  const log = places.find(session.session_id);
  return log === undefined ? session : { ...session, log };
}

type Stored = Awaited<ReturnType<typeof storedSessions>>[number];

const listed = (stored: Stored): ListedSession => ({
  session_id: stored.session_id,
  ...told(stored),
});

const told = (stored: Stored | undefined): Omit<ListedSession, "session_id"> =>
  stored === undefined
    ? {}
    : {
        title: stored.title,
        ...(stored.cwd !== undefined && { cwd: stored.cwd }),
        ...(stored.archived && { archived: true }),
        last_used: new Date(stored.lastUsedMs).toISOString(),
      };

function runningOf({ pid, socket, observe_socket, log_id, started_at }: LockRecord): Running {
  return {
    pid,
    ...(socket !== undefined && { socket }),
    ...(observe_socket !== undefined && { observe_socket }),
    ...(log_id !== undefined && { log_id }),
    started_at,
  };
}
