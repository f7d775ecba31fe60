import { storedSessions } from "../../engine/sessions.ts";
import type { LockRecord } from "../place/lock-record.ts";
import { heldSessions } from "../place/session-lock.ts";

/** A session that can be resumed, or one that runs now. */
export interface ListedSession {
  session_id: string;
  title?: string;
  cwd?: string;
  /** Absent when nothing was said in it yet. */
  last_used?: string;
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
  /** Claude Code's directory, when it is not the usual one. */
  configDir?: string;
  /** Only sessions of this directory. */
  cwd?: string;
  limit?: number;
}

/** Those that run first, then the others, newest first. */
export async function listSessions(query: ListQuery = {}): Promise<ListedSession[]> {
  const [held, stored] = await Promise.all([heldSessions(), storedSessions(query)]);
  const inReach = held.filter(({ cwd }) => query.cwd === undefined || cwd === query.cwd);
  const running = inReach.map((record) => ({
    ...told(stored.find(({ session_id }) => session_id === record.session_id)),
    session_id: record.session_id,
    cwd: record.cwd,
    running: runningOf(record),
  }));
  const isRunning = new Set(running.map(({ session_id }) => session_id));
  return [...running, ...stored.filter((each) => !isRunning.has(each.session_id)).map(listed)];
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
