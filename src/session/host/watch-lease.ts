import { readFileSync } from "node:fs";

/** How often the file is read. */
const LOOK_MS = 1000;

/**
 * Calls back once when the time in the file is over: milliseconds of this machine's steady clock, which all of its processes share.
 * Whoever may let the process live on writes a later one. A file that cannot be read counts as over.
 */
export function watchLease(file: string, onOver: () => void): () => void {
  const look = (): void => {
    if (steadyMs() < leaseEnd(file)) return;
    clearInterval(timer);
    onOver();
  };
  const timer = setInterval(look, LOOK_MS).unref();
  return () => clearInterval(timer);
}

const steadyMs = (): number => Number(process.hrtime.bigint() / 1_000_000n);

function leaseEnd(file: string): number {
  try {
    return Number(readFileSync(file, "utf8"));
  } catch {
    return 0;
  }
}
