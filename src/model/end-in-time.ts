import { errorOf } from "../wire/errors.ts";
import { startDeadline } from "./start-time-limit.ts";
import type { RequestOptions } from "./model-options.ts";

const TIMEOUT_MS = 120_000;

/** Ends a request when its time is over or its caller aborts. Returns a function that releases timer and signal. */
export function endInTime(
  { signal, timeoutMs = TIMEOUT_MS }: RequestOptions,
  end: (error: unknown) => void,
): () => void {
  const abort = (): void => end(abortError(signal?.reason));
  signal?.addEventListener("abort", abort);
  const seconds = timeoutMs / 1000;
  const cancel = startDeadline(timeoutMs, () => {
    const data = { timeout_seconds: seconds };
    end(errorOf("timeout", `The request did not end within ${seconds} s.`, { data }));
  });
  return () => {
    cancel();
    signal?.removeEventListener("abort", abort);
  };
}

export function abortError(reason: unknown) {
  return errorOf("aborted", "The request was aborted.", {
    cause: reason,
    hint: "The session was ended. Tools may have done part of their work.",
  });
}
