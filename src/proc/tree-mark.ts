import { readFileSync, readlinkSync } from "node:fs";
import { threadId } from "node:worker_threads";

/**
 * The one variable that a guarded child gets from us. Whatever it starts inherits it, so a process can be
 * found after its parents are gone. The value is a list `host/child,host/child`, outermost first: a host
 * that runs below another one adds itself, and so its children are found from either.
 *
 * A host is `<pid namespace>-<pid>-<start time>`: a pid that was used again is another host, and a pid
 * from another container is never taken for one of ours. A child that opens no session of its own has its
 * host's behind its number, `host/child/session`. All of it is free of characters that have a meaning in a
 * regular expression.
 */
export const treeVariable = "SWITCHBOARD_TREE";

let children = 0;
let host: string | undefined;

/** Marks of this thread's children begin so. Each thread has its own watchdog: see `watchdog.ts`. */
export function threadMark(): string {
  host ??= `${pidNamespace()}-${processId(process.pid)}`;
  return `${host}/${threadId}-`;
}

export function newMark(): string {
  children += 1;
  return threadMark() + String(children);
}

/**
 * The mark of a child in our own session, which it shares with who knows whom. Whoever sweeps after our end
 * learns from it that the session is not the child's.
 */
export const newSharedMark = (): string => `${newMark()}/${ownSession()}`;

/** The variable's value for a child with this mark: our own place in an outer tree comes first. */
export function withOuterMarks(mark: string): string {
  const outer = process.env[treeVariable] ?? "";
  return /^[\d,/-]+$/.test(outer) ? `${outer},${mark}` : mark;
}

/** A process for as long as the machine runs: `<pid>-<start time>`; without /proc `<pid>-`. */
export const processId = (pid: number): string => `${pid}-${statOf(pid)[19] ?? ""}`;

/** The session that this process is in; without /proc "0". */
export const ownSession = (): string => statOf(process.pid)[3] ?? "0";

/** What the system says of a process, from its state on; without /proc nothing. */
function statOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name stands in parentheses and may hold any character, so count from the last one.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}

/** The inode of our pid namespace; "0" where there are none. */
export function pidNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid").replaceAll(/\D/g, "");
  } catch {
    return "0";
  }
}
