import type { RetryEvent } from "../events.ts";
import { classifyFailure } from "./classify-failure.ts";
import { countOf } from "./read-leniently.ts";

/** The fields of every message that reports another attempt. */
interface RetryFacts {
  attempt?: number;
  max_retries?: number;
  retry_delay_ms?: number;
  error_status?: number | null;
}

export function retryEvent(facts: RetryFacts, apiError?: string): RetryEvent {
  const { error_status: status } = facts;
  return {
    type: "retry",
    attempt: countOf(facts.attempt),
    max: countOf(facts.max_retries),
    delay_ms: Math.round(countOf(facts.retry_delay_ms)),
    ...(typeof status === "number" && { status }),
    code: classifyFailure({ apiError, status }),
  };
}
