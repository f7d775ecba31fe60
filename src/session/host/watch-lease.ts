import { readFileSync } from "node:fs";
import { sinceBootMs } from "../../proc/time-since-boot.ts";

/** How often the file is read. */
const LOOK_MS = 1000;

/**
 * Calls back once when the time in the file is over: milliseconds since this machine was started. The host of the agent writes a later
 * time while the process may live on. A file that cannot be read counts as over.
 */
export function watchLease(file: string, onOver: () => void): () => void {
  const look = (): void => {
    if (sinceBootMs() < leaseEnd(file)) return;
    clearInterval(timer);
    onOver();
  };
  const timer = setInterval(look, LOOK_MS).unref();
  return () => clearInterval(timer);
}

function leaseEnd(file: string): number {
  try {
    return Number(readFileSync(file, "utf8"));
  } catch {
    return 0;
  }
}
