import type { EntryDraft, Entry } from "./entry.ts";
import { isSamePart } from "./entry.ts";
import type { LookOutcome, PublishOutcome } from "./entry-stream.ts";

/** How the append of one entry ended. */
export type AppendOutcome =
  | { kind: "written"; seq: number }
  /** Another office has written where this entry belongs: it is not in the log, and never will be. */
  | { kind: "deposed"; by: Entry }
  /** An earlier batch of this office, whose outcome nobody knew, is there. This entry is not in the log. */
  | { kind: "ghost"; seq: number }
  /** It is not in the log, and never will be. */
  | { kind: "refused"; why: string }
  /** It is not known whether the entry is in the log, or will be. */
  | { kind: "unknown"; why: string };

/** Where the append of one entry stands. The entry can only become number `last + 1`, so looking there decides. */
export type AppendState =
  | { kind: "publishing"; tries: number; hadDoubt: boolean }
  | { kind: "looking"; tries: number; hadDoubt: boolean; after: Unwritten }
  | { kind: "pausing"; tries: number; pauseMs: number; why: string }
  | { kind: "ended"; outcome: AppendOutcome };

type Unwritten = Exclude<PublishOutcome, { kind: "written" }>;

export type AppendEvent =
  | { kind: "published"; outcome: PublishOutcome }
  | { kind: "looked"; outcome: LookOutcome }
  | { kind: "paused"; isPatienceOver: boolean };

export interface AppendFacts {
  draft: EntryDraft;
  /** The expected last entry. */
  last: number;
  isOwnEpoch: (entry: Entry) => boolean;
}

const PAUSE_MS = 50;
const MAX_PAUSE_MS = 500;

export const pauseAfter = (tries: number): number => Math.min(PAUSE_MS * tries, MAX_PAUSE_MS);

export const firstAppendState: AppendState = { kind: "publishing", tries: 1, hadDoubt: false };

export function nextAppendState(
  state: AppendState,
  event: AppendEvent,
  facts: AppendFacts,
): AppendState {
  if (state.kind === "publishing" && event.kind === "published") {
    return published(state, event.outcome, facts);
  }
  if (state.kind === "looking" && event.kind === "looked") {
    return looked(state, event.outcome, facts);
  }
  if (state.kind === "pausing" && event.kind === "paused") {
    if (event.isPatienceOver) return end({ kind: "unknown", why: state.why });
    // An earlier copy may still be on its way.
    return { kind: "publishing", tries: state.tries + 1, hadDoubt: true };
  }
  return state;
}

function published(
  { tries, hadDoubt }: Extract<AppendState, { kind: "publishing" }>,
  outcome: PublishOutcome,
  { last }: AppendFacts,
): AppendState {
  if (outcome.kind !== "written") return { kind: "looking", tries, hadDoubt, after: outcome };
  if (outcome.seq === last + 1) return end(outcome);
  const why = `The log says that entry ${last + 1} became number ${outcome.seq}.`;
  return end({ kind: "unknown", why });
}

function looked(
  { tries, hadDoubt, after }: Extract<AppendState, { kind: "looking" }>,
  outcome: LookOutcome,
  { draft, isOwnEpoch }: AppendFacts,
): AppendState {
  if (outcome.kind === "found") {
    const { entry } = outcome;
    if (isSamePart(entry, draft)) return end({ kind: "written", seq: entry.seq });
    if (isOwnEpoch(entry)) return end({ kind: "ghost", seq: entry.seq });
    return end({ kind: "deposed", by: entry });
  }
  // A refusal says nothing of an earlier copy that may still be on its way.
  if (after.kind === "refused" && !hadDoubt) return end(after);
  return { kind: "pausing", tries, pauseMs: pauseAfter(tries), why: after.why };
}

const end = (outcome: AppendOutcome): AppendState => ({ kind: "ended", outcome });
