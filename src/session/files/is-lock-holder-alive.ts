import { probeSocket } from "../../net/probe-socket.ts";
import { isRunning, pidNamespace, processId } from "../../proc/process-identity.ts";
import type { LockRecord } from "./lock-record.ts";

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
