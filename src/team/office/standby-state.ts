import type { OfficeBeat } from "../../wire/office.ts";

/** What a process that would follow the office knows of it. */
export interface StandbyState {
  /** For so long it has listened without hearing the office. */
  readonly silentMs: number;
  readonly tickedMs: number;
}

export type StandbyFact =
  | { readonly type: "heard"; readonly beat: OfficeBeat }
  | { readonly type: "tick"; readonly nowMs: number }
  | { readonly type: "asked" };

export type StandbyNext =
  | { readonly do: "wait" }
  | { readonly do: "follow"; readonly because: "silence" | "asked" }
  /** A person has stopped the team. */
  | { readonly do: "end" };

/** A process that was held up has not listened meanwhile: of such a pause no more counts than this. */
const MAX_TICK_MS = 2000;

/** @param patienceMs so long an office may be silent. */
export function nextStandby(
  state: StandbyState,
  fact: StandbyFact,
  patienceMs: number,
): readonly [StandbyState, StandbyNext] {
  if (fact.type === "asked") return [state, { do: "follow", because: "asked" }];
  if (fact.type === "heard") {
    const heard = { ...state, silentMs: 0 };
    return [heard, fact.beat.stopped === true ? { do: "end" } : { do: "wait" }];
  }
  const silentMs = state.silentMs + Math.min(fact.nowMs - state.tickedMs, MAX_TICK_MS);
  const next = { silentMs, tickedMs: fact.nowMs };
  return [next, silentMs >= patienceMs ? { do: "follow", because: "silence" } : { do: "wait" }];
}
