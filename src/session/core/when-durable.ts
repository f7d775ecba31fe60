import { isLogClosed } from "../log/log-errors.ts";
import type { Recorder } from "./event-recorder.ts";
import type { Timers } from "../../time/clock.ts";

const RETRY_MS = 1_000;

/**
 * Runs `then` when everything recorded so far is safe on disk, however long the disk refuses. Rejects at the first
 * refusal, so that the sender knows. The events stay in memory and are written later, unless the log is closed first.
 */
export async function whenDurable(
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
