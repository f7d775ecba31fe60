import { existsSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { replaceFile } from "../../files/replace-file.ts";
import { pidNamespace, processId } from "../../proc/process-identity.ts";
import { errorOf } from "../../wire/errors.ts";
import { isElsewhere, isHeld } from "./is-lock-holder-alive.ts";
import type { LockRecord } from "./lock-record.ts";
import { readLockRecord } from "./lock-record.ts";
import { privateDirectory, userStateDirectory } from "./state-directory.ts";

/** Two hosts that start at the same moment both step back and retry. */
const TRIES = 20;
const MAX_STEP_BACK_MS = 100;
/** How often a lock checks that its file still exists: a person may have removed the state directory. */
const KEEP_MS = 1_000;

/** The exclusive right to run a session. */
export interface SessionLock {
  /** Records where this host can be reached, for hosts that start later. */
  announce(facts: Pick<LockRecord, "log_id" | "socket" | "observe_socket">): void;
  /** Called whenever the lock's file was removed and has been restored. */
  onPutBack: (() => void) | undefined;
  release(): void;
}

/** One directory per user, whatever state directory a host uses. */
const lockDirectory = (): string => privateDirectory(join(userStateDirectory(), "locks"));

/**
 * The CLI has no lock of its own, and two CLIs that resume one session silently lose a branch of it. A lock is a file
 * with session and process in its name: the host writes it first, and keeps it only if no other living process has
 * one for the session. Files of dead processes do not count; a file of another container counts until its socket is
 * known to be dead, or a person removes it.
 *
 * @throws `session_in_use` with pid and socket of the host that has it.
 */
export async function lockSession(
  sessionId: string,
  cwd: string,
  directory = lockDirectory(),
  keepMs = KEEP_MS,
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
    if (holder === undefined) return keep(file, record, keepMs);
    release();
    if (holder.record.socket !== undefined || attempt === TRIES) throw inUse(holder);
    await delay(Math.random() * MAX_STEP_BACK_MS);
  }
}

/** A lock that restores its file when it was removed. */
function keep(file: string, first: LockRecord, keepMs: number): SessionLock {
  let record = first;
  const timer = setInterval(() => {
    if (existsSync(file)) return;
    try {
      privateDirectory(dirname(file));
      write(file, record);
      lock.onPutBack?.();
    } catch {
      // Retried later.
    }
  }, keepMs).unref();
  const lock: SessionLock = {
    announce(facts) {
      record = { ...record, ...facts };
      write(file, record);
    },
    onPutBack: undefined,
    release() {
      clearInterval(timer);
      rmSync(file, { force: true });
    },
  };
  return lock;
}

/** Every session that a living host holds. Removes the files of dead hosts. */
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
    // The name contains the process, so no living process can have restored it meanwhile.
    if (record) rmSync(file, { force: true });
  }
  return undefined;
}

const namesOf = (directory: string): string[] =>
  readdirSync(directory).filter((name) => name.endsWith(".json"));

/** Written in one step: a reader never sees half a record. */
function write(file: string, record: LockRecord): void {
  replaceFile(file, `${JSON.stringify(record)}\n`, { durable: false });
}

function inUse({ record, file }: Holder): Error {
  const { session_id, pid, socket, cwd } = record;
  const who = isElsewhere(record) ? `process ${pid} of another container` : `process ${pid}`;
  const where = socket === undefined ? "it is just starting" : `its socket is ${socket}`;
  return errorOf(
    "session_in_use",
    `Session ${session_id} is in use by ${who} in ${cwd}; ${where}.`,
    {
      data: { session_id, pid, ...(socket !== undefined && { socket }) },
      ...hintFor(record, file),
    },
  );
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
