import { useState } from "preact/hooks";
import type { Call, Decision } from "./call.ts";
import { useCalls } from "./use-calls.ts";

export interface Deciding {
  /** What was sent and has no event yet. */
  readonly sent: Decision["kind"] | undefined;
  /** Why the host refused what was sent last. */
  readonly error: unknown;
  readonly decide: (decision: Decision) => void;
  readonly hold: (ms: number) => void;
  /** Shows that what the person wrote cannot be sent. */
  readonly refuse: (error: unknown) => void;
}

/** Sends what a person decides about a call. Nothing counts as done before its event. */
export function useDecision(call: Call): Deciding {
  const calls = useCalls();
  const [error, setError] = useState<unknown>(undefined);
  const run = (action: Promise<void>): void => {
    setError(undefined);
    action.catch(setError);
  };
  return {
    sent: calls.sent.value.get(call.id),
    error,
    decide: (decision) => run(calls.decide(call, decision)),
    hold: (ms) => run(calls.hold(call, ms)),
    refuse: setError,
  };
}
