import { readFileSync, readlinkSync } from "node:fs";

/** A process for as long as the machine runs: `<pid>-<start time>`; without /proc `<pid>-`. A pid that is used again has another identity. */
export const processId = (pid: number): string => `${pid}-${statOf(pid)[19] ?? ""}`;

/** The pid in an identity; undefined when the text is none. */
export function pidOf(id: string): number | undefined {
  const [, pid] = /^([1-9]\d*)-\d*$/.exec(id) ?? [];
  return pid === undefined ? undefined : Number(pid);
}

/** The process of this identity has not ended yet. One whose parent has not collected it has ended. */
export function isAlive(id: string): boolean {
  const pid = pidOf(id);
  return pid !== undefined && processId(pid) === id && isRunning(pid);
}

/** A process with this pid exists and has not ended; any process may have started it. */
export function isRunning(pid: number): boolean {
  const [state] = statOf(pid);
  return state === undefined ? exists(pid) : !/^[ZX]/.test(state);
}

/** The only possible check without /proc. */
function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** The process that started it, or took it over; undefined without /proc. */
export function parentOf(pid: number): number | undefined {
  const [, parent] = statOf(pid);
  return parent === undefined ? undefined : Number(parent);
}

/** The session that this process is in; without /proc "0". */
export const ownSession = (): string => statOf(process.pid)[3] ?? "0";

/** The system's stat fields of a process, from its state on; empty without /proc. */
function statOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name is in parentheses and may contain any character, so count from the last one.
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
