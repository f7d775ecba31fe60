import { readFileSync } from "node:fs";
import { z } from "zod";
import { probeSocket } from "../../net/probe.ts";
import { pidNamespace, processId } from "../../proc/tree-mark.ts";

const LockRecordSchema = z.object({
  session_id: z.string(),
  pid: z.int(),
  /** `<pid>-<start time>`: a pid that was used again is another process. */
  process: z.string(),
  /** A pid means nothing in another container. */
  pid_namespace: z.string(),
  cwd: z.string(),
  log_id: z.string().optional(),
  /** Absent while the host is starting. */
  socket: z.string().optional(),
  observe_socket: z.string().optional(),
  started_at: z.string(),
});

/** Who holds a session, as it stands in the lock's file. */
export type LockRecord = z.infer<typeof LockRecordSchema>;

/** Undefined when the file is gone, or is none of ours. */
export function readLockRecord(file: string): LockRecord | undefined {
  try {
    return LockRecordSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return undefined;
  }
}

/** Of a process in another container nothing is known but its socket, and that only where it can be seen from here. */
export const isElsewhere = (record: LockRecord): boolean => record.pid_namespace !== pidNamespace();

/** May the process be there that wrote the record? One that was killed leaves its file behind. */
export async function isHeld(record: LockRecord): Promise<boolean> {
  if (!isElsewhere(record)) {
    return record.process === processId(record.pid) && isRunning(record.pid);
  }
  if (record.socket === undefined) return true;
  return (await probeSocket(record.socket)).state !== "dead";
}

/** A zombie has ended, though nobody has asked how: in a container perhaps nobody ever will. */
function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
  } catch {
    return exists(pid);
  }
}

/** All that can be asked where there is no /proc. */
function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
