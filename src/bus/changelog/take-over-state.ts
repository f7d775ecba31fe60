import type { Entry } from "./entry.ts";
import type { LookOutcome, PublishOutcome } from "./entry-stream.ts";
import { pauseAfter } from "./append-state.ts";

/** How an attempt to become the office ended. */
export type TakeOverOutcome =
  | { kind: "taken"; seq: number; epoch: number }
  /** Another process became the office in the meantime. */
  | { kind: "lost"; to: Entry }
  | { kind: "refused"; why: string }
  /** The office entry may still be written: then the office that is there now is deposed. */
  | { kind: "unknown"; why: string };

/**
 * Where a take-over stands. It competes with other takers only, never with the batches of the office that is there, however
 * many these are: the office entry expects the number of the newest office entry.
 */
export type TakeOverState =
  | { kind: "looking"; tries: number; hadDoubt: boolean }
  | { kind: "publishing"; tries: number; hadDoubt: boolean; lastOfficeSeq: number; epoch: number }
  | { kind: "pausing"; tries: number; hadDoubt: boolean; pauseMs: number; why: string }
  | { kind: "ended"; outcome: TakeOverOutcome };

export type TakeOverEvent =
  | { kind: "looked"; outcome: LookOutcome }
  | { kind: "published"; outcome: PublishOutcome }
  | { kind: "paused"; isPatienceOver: boolean };

export interface TakeOverFacts {
  /** Of the own office entry. */
  batch: string;
  /** The newest office entry that the taker has read; a newer one of another process means that the race is lost. */
  known: { seq: number; epoch: number };
}

export const firstTakeOverState: TakeOverState = { kind: "looking", tries: 1, hadDoubt: false };

export function nextTakeOverState(
  state: TakeOverState,
  event: TakeOverEvent,
  facts: TakeOverFacts,
): TakeOverState {
  if (state.kind === "looking" && event.kind === "looked") {
    return looked(state, event.outcome, facts);
  }
  if (state.kind === "publishing" && event.kind === "published") {
    return published(state, event.outcome);
  }
  if (state.kind === "pausing" && event.kind === "paused") {
    const { tries, hadDoubt, why } = state;
    if (event.isPatienceOver) return end({ kind: "unknown", why });
    return { kind: "looking", tries: tries + 1, hadDoubt };
  }
  return state;
}

function looked(
  { tries, hadDoubt }: Extract<TakeOverState, { kind: "looking" }>,
  outcome: LookOutcome,
  { batch, known }: TakeOverFacts,
): TakeOverState {
  if (outcome.kind === "failed") return pause(tries, hadDoubt, outcome.why);
  if (outcome.kind === "found") {
    const { entry } = outcome;
    if (entry.batch === batch) return end({ kind: "taken", seq: entry.seq, epoch: entry.epoch });
    if (entry.seq > known.seq) return end({ kind: "lost", to: entry });
  }
  // Nothing, or an older one: the answer may be behind what was read, which counts.
  const { seq, epoch } = known;
  return { kind: "publishing", tries, hadDoubt, lastOfficeSeq: seq, epoch: epoch + 1 };
}

function published(
  { tries, hadDoubt, epoch }: Extract<TakeOverState, { kind: "publishing" }>,
  outcome: PublishOutcome,
): TakeOverState {
  if (outcome.kind === "written") return end({ kind: "taken", seq: outcome.seq, epoch });
  if (outcome.kind === "refused" && !hadDoubt) return end(outcome);
  return pause(tries, true, outcome.why);
}

const pause = (tries: number, hadDoubt: boolean, why: string): TakeOverState => ({
  kind: "pausing",
  tries,
  hadDoubt,
  pauseMs: pauseAfter(tries),
  why,
});

const end = (outcome: TakeOverOutcome): TakeOverState => ({ kind: "ended", outcome });
