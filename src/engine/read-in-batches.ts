import type { Readable } from "node:stream";

/** More pieces than this without a pause are a rush. A turn pauses before: for the model, for a tool, for a person. */
const RUSH_PIECES = 32;
/** Less than a picture on a screen lasts. */
const WAIT_MS = 10;
/** So long without a piece is a pause; also after a wait, and then the rush is over. */
const PAUSE_MS = 5;

/**
 * Reads a stream in larger pieces while its writer sends small ones in a rush. The CLI writes each delta by
 * itself, and to be woken for it, to log it and to send it to clients one by one costs several times what
 * the delta does. Begins with whoever reads the stream's data, and never before.
 */
export function readInBatches(stream: Readable): void {
  let pieces = 0;
  let lastMs = Number.NEGATIVE_INFINITY;
  const watch = (): void => {
    const nowMs = performance.now();
    if (nowMs - lastMs >= PAUSE_MS) pieces = 0;
    lastMs = nowMs;
    pieces += 1;
    if (pieces > RUSH_PIECES) wait();
  };
  const wait = (): void => {
    stream.pause();
    setTimeout(() => {
      lastMs = performance.now();
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
