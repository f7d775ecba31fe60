import { readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pidNamespace, processId } from "../../proc/tree-mark.ts";
import { errorOf } from "../../wire/errors.ts";
import type { LockRecord } from "./lock-record.ts";
import { isElsewhere, isHeld, readLockRecord } from "./lock-record.ts";
import { privateDirectory, userStateDirectory } from "./state-directory.ts";

/** Two that start at the same moment step back from each other; one of them finds the way free. */
const TRIES = 20;
const MAX_STEP_BACK_MS = 100;

/** The sole right to run a session. */
export interface SessionLock {
  /** Tells those who come later where this host can be reached. */
  announce(facts: Pick<LockRecord, "log_id" | "socket" | "observe_socket">): void;
  release(): void;
}

/** Locks are in one place for each user, whatever state directory a host uses. */
const lockDirectory = (): string => privateDirectory(join(userStateDirectory(), "locks"));

/**
 * The CLI has no lock of its own, and two that resume one session silently lose a branch of it. A lock
 * is a file that carries session and process in its name: it is put down first, and stays only if no
 * other living process has one for the session. Files of dead processes are in nobody's way; one of another
 * container counts as living until its socket is known to be dead, or a person has removed the file.
 *
 * @throws `session_in_use` with pid and socket of the host that has it.
 */
export async function lockSession(
  sessionId: string,
  cwd: string,
  directory = lockDirectory(),
): Promise<SessionLock> {
  const mine = processId(process.pid);
  const record: LockRecord = {
    session_id: sessionId,
    pid: process.pid,
    process: mine,
    pid_namespace: pidNamespace(),
    cwd,
    started_at: new Date().toISOString(),
  };
  const prefix = `${encodeURIComponent(sessionId)}@`;
  const name = `${prefix}${record.pid_namespace}-${mine}.json`;
  const file = join(directory, name);
  const release = (): void => rmSync(file, { force: true });

  for (let attempt = 1; ; attempt += 1) {
    write(file, record);
    const others = namesOf(directory).filter((each) => each.startsWith(prefix) && each !== name);
    const holder = await firstHeld(directory, others);
    if (holder === undefined) {
      return { announce: (facts) => write(file, { ...record, ...facts }), release };
    }
    release();
    if (holder.record.socket !== undefined || attempt === TRIES) throw inUse(holder);
    await delay(Math.random() * MAX_STEP_BACK_MS);
  }
}

/** Every session that a living host holds. What dead ones left behind is swept. */
export async function heldSessions(directory = lockDirectory()): Promise<LockRecord[]> {
  const found = namesOf(directory).map(async (name) => firstHeld(directory, [name]));
  return (await Promise.all(found)).flatMap((holder) => holder?.record ?? []);
}

interface Holder {
  readonly record: LockRecord;
  readonly file: string;
}

async function firstHeld(directory: string, names: string[]): Promise<Holder | undefined> {
  for (const name of names) {
    const file = join(directory, name);
    const record = readLockRecord(file);
    if (record && (await isHeld(record))) return { record, file };
    // The name holds the process, so nobody living can have put it back meanwhile.
    if (record) rmSync(file, { force: true });
  }
  return undefined;
}

const namesOf = (directory: string): string[] =>
  readdirSync(directory).filter((name) => name.endsWith(".json"));

/** In one step: a reader never sees half a record. */
function write(file: string, record: LockRecord): void {
  const draft = `${file}.new`;
  writeFileSync(draft, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

function inUse({ record, file }: Holder): Error {
  const { session_id, pid, socket, cwd } = record;
  const who = isElsewhere(record) ? `process ${pid} of another container` : `process ${pid}`;
  const where = socket === undefined ? "it is just starting" : `its socket is ${socket}`;
  return errorOf("session_in_use", `Session ${session_id} is run by ${who} in ${cwd}; ${where}.`, {
    data: { session_id, pid, ...(socket !== undefined && { socket }) },
    ...hintFor(record, file),
  });
}

function hintFor(record: LockRecord, file: string): { hint?: string } {
  const { pid, socket } = record;
  if (isElsewhere(record)) {
    return {
      hint: `End it there. If that container is certainly gone, remove ${file} and try again.`,
    };
  }
  if (socket === undefined) return {};
  return {
    hint: `Connect to ${socket} ('agent-socket attach ${socket}'), or end process ${pid} first.`,
  };
}
