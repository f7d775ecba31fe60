import type { Readable } from "node:stream";

/** More pieces than this in such a time are a rush. A turn with a tool or two has fewer: nothing in it has to wait. */
const RUSH_PIECES = 32;
const RUSH_MS = 100;
/** Less than a picture on a screen lasts. */
const WAIT_MS = 10;
/** The rush is over when, after a wait, nothing is there. */
const QUIET_MS = 5;

/**
 * Reads a stream in larger pieces while its writer sends small ones in a rush. The CLI writes each delta by
 * itself, and to be woken for it, to log it and to send it to clients one by one costs several times what
 * the delta does. Begins with whoever reads the stream's data, and never before.
 */
export function readInBatches(stream: Readable): void {
  let pieces = 0;
  let sinceMs = Number.NEGATIVE_INFINITY;
  let inRush = false;
  const watch = (): void => {
    const passedMs = performance.now() - sinceMs;
    if (passedMs > (inRush ? QUIET_MS : RUSH_MS)) {
      inRush = false;
      pieces = 0;
      sinceMs = performance.now();
    }
    pieces += 1;
    inRush ||= pieces > RUSH_PIECES;
    if (inRush) wait();
  };
  const wait = (): void => {
    stream.pause();
    setTimeout(() => {
      sinceMs = performance.now();
      stream.resume();
    }, WAIT_MS);
  };
  const begin = (event: string | symbol): void => {
    if (event !== "data") return;
    stream.off("newListener", begin);
    stream.on("data", watch);
  };
  stream.on("newListener", begin);
}
