import { readFileSync } from "node:fs";
import { hasTexts, isRecord } from "../../wire/json.ts";

/** Who holds a session: the contents of the lock file. */
export interface LockRecord {
  session_id: string;
  pid: number;
  /** `<pid>-<start time>`: a reused pid is another process. */
  process: string;
  /** A pid means nothing in another container. */
  pid_namespace: string;
  cwd: string;
  log_id?: string | undefined;
  /** Absent while the host is starting. */
  socket?: string | undefined;
  observe_socket?: string | undefined;
  started_at: string;
}

const required = ["session_id", "process", "pid_namespace", "cwd", "started_at"];
const optional = ["log_id", "socket", "observe_socket"];

function isLockRecord(value: unknown): value is LockRecord {
  return (
    isRecord(value) && Number.isSafeInteger(value["pid"]) && hasTexts(value, required, optional)
  );
}

/** Returns undefined when the file is gone, or is not a lock of ours. */
export function readLockRecord(file: string): LockRecord | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    return isLockRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
