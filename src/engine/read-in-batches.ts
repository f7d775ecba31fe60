import type { Readable } from "node:stream";

/**
 * More pieces than this without a pause are a rush. A normal turn pauses earlier: for the model, for a tool, for a
 * person.
 */
const RUSH_PIECES = 32;
/** Shorter than a frame on a screen. */
const WAIT_MS = 10;
/** This long without a piece is a pause, also after a wait; the rush is then over. */
const PAUSE_MS = 5;

/**
 * Reads a stream in larger pieces while its writer sends many small ones. The CLI writes each delta by itself, and
 * waking up, logging and sending for each costs several times what the delta does. Starts when the stream's data is
 * first read, never before.
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
