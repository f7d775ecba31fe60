import type { ReadonlySignal } from "@preact/signals";
import type { Call, Decision, Outcome } from "./call.ts";

/** Where calls come from and decisions go to: a team, or one session. */
export interface Decider {
  /** All calls that wait, oldest first, as the events tell them. */
  readonly waiting: ReadonlySignal<readonly Call[]>;
  /** Everything that had happened before the page was opened has come. */
  readonly isCaughtUp: ReadonlySignal<boolean>;
  readonly isConnected: ReadonlySignal<boolean>;
  /** How a call ended that was waiting a moment ago; undefined when no event has said so. */
  outcomeOf(id: string): Outcome | undefined;
  /** @throws `already_resolved` when another client was first; `unknown_request`; other errors of the program. */
  decide(id: string, decision: Decision): Promise<void>;
  /** Gives people `ms` from now. @throws as `decide` does. */
  hold(id: string, ms: number): Promise<void>;
  /** Asks what waits now. `remaining_ms` of each request is as of the answer. */
  ask(): Promise<readonly Call[]>;
  /** The whole of a text that was too large for its event. */
  wholeText(call: Call, blob: string): Promise<string>;
}
