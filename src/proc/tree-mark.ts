import { threadId } from "node:worker_threads";
import { ownSession, pidNamespace, processId } from "./process-identity.ts";

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

/** The prefix of the marks of this thread's children. Each thread has its own watchdog: see `watchdog.ts`. */
export function threadMark(): string {
  host ??= `${pidNamespace()}-${processId(process.pid)}`;
  return `${host}/${threadId}-`;
}

export function newMark(): string {
  children += 1;
  return threadMark() + String(children);
}

/**
 * The mark of a child in our own session, which it shares with unrelated processes. The sweep after our end learns
 * from it that the session is not the child's.
 */
export const newSharedMark = (): string => `${newMark()}/${ownSession()}`;

/** The variable's value for a child with this mark: our own place in an outer tree comes first. */
export function withOuterMarks(mark: string): string {
  const outer = process.env[treeVariable] ?? "";
  return /^[\d,/-]+$/.test(outer) ? `${outer},${mark}` : mark;
}
