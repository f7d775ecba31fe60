import type { Recorder } from "./recorder.ts";
import type { Timers } from "./timers.ts";

const RETRY_MS = 1_000;

/**
 * Runs `then` when everything told so far is safe on disk, however long the disk refuses. Rejects at the
 * first refusal, so that the sender knows; what was told stays in the log's memory and is written later.
 */
export async function untilDurable(
  recorder: Recorder,
  timers: Timers,
  then: () => void,
): Promise<void> {
  try {
    await recorder.durable();
  } catch (refused) {
    const again = () =>
      void recorder.durable().then(then, () => void timers.after(RETRY_MS, again));
    timers.after(RETRY_MS, again);
    throw refused;
  }
  then();
}
