import { isLogClosed } from "../log/log-errors.ts";
import type { Recorder } from "./recorder.ts";
import type { Timers } from "./timers.ts";

const RETRY_MS = 1_000;

/**
 * Runs `then` when everything told so far is safe on disk, however long the disk refuses. Rejects at the
 * first refusal, so that the sender knows; what was told stays in the log's memory and is written later,
 * unless the log is closed before.
 */
export async function untilDurable(
  recorder: Recorder,
  timers: Timers,
  then: () => void,
): Promise<void> {
  const wait = (refused: unknown): void => {
    if (!isLogClosed(refused)) timers.after(RETRY_MS, again);
  };
  const again = (): void => void recorder.durable().then(then, wait);
  try {
    await recorder.durable();
  } catch (refused) {
    wait(refused);
    throw refused;
  }
  then();
}
