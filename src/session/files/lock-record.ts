import { readFileSync } from "node:fs";
import * as z from "zod";
import { probeSocket } from "../../net/probe-socket.ts";
import { isRunning, pidNamespace, processId } from "../../proc/process-identity.ts";

const LockRecordSchema = z.object({
  session_id: z.string(),
  pid: z.int(),
  /** `<pid>-<start time>`: a reused pid is another process. */
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

/** Who holds a session: the contents of the lock file. */
export type LockRecord = z.infer<typeof LockRecordSchema>;

/** Returns undefined when the file is gone, or is not a lock of ours. */
export function readLockRecord(file: string): LockRecord | undefined {
  try {
    return LockRecordSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return undefined;
  }
}

/** Of a process in another container we know only its socket, and only if we can reach that. */
export const isElsewhere = (record: LockRecord): boolean => record.pid_namespace !== pidNamespace();

/** Whether the process that wrote the record may be alive. A killed process leaves its file behind. */
export async function isHeld(record: LockRecord): Promise<boolean> {
  if (!isElsewhere(record)) {
    return record.process === processId(record.pid) && isRunning(record.pid);
  }
  if (record.socket === undefined) return true;
  return (await probeSocket(record.socket)).state !== "dead";
}
