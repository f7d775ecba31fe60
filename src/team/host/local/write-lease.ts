import { makeDirectories } from "../../../files/make-directories.ts";
import { replaceFile } from "../../../files/replace-file.ts";
import { sinceBootMs } from "../../../proc/time-since-boot.ts";
import { HOST_LEASE_MS } from "../lease-times.ts";
import type { AgentPaths } from "./agent-paths.ts";

/**
 * Writes down until when the agent may run, by the time since this machine was started. The agent's own process ends then, also when this one is
 * dead and nobody else would end it.
 */
export function writeLease({ root, lease }: Pick<AgentPaths, "root" | "lease">): void {
  const untilMs = sinceBootMs() + HOST_LEASE_MS;
  try {
    makeDirectories(root, 0o700);
    replaceFile(lease, `${untilMs}\n`, { durable: false });
  } catch {
    // A full disk: the next time tries again, and if it stays full the agent ends.
  }
}
