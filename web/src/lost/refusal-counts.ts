import type { TeamEventOf } from "agent-switchboard/wire";

/** Refusals by one rule from one agent to another. */
export interface RefusalCount {
  readonly key: string;
  readonly from: string;
  readonly to: string;
  /** The error's code: the rule that refused. */
  readonly code: string;
  readonly count: number;
  readonly lastAt: string;
  readonly lastSeq: number;
  /** What the sender was told the last time. */
  readonly message: string;
  readonly hint: string;
}

/** The same refusal happens again and again: each kind once, with its number, those of the newest first. */
export function countRefusals(events: readonly TeamEventOf<"refused">[]): RefusalCount[] {
  const counts = new Map<string, RefusalCount>();
  for (const { from_agent: from, to_agent: to, error, at, seq } of events) {
    const key = `${error.code} ${from} ${to}`;
    const known = counts.get(key);
    const count = (known?.count ?? 0) + 1;
    const isNewest = known === undefined || known.lastSeq < seq;
    const newest = { lastAt: at, lastSeq: seq, message: error.message, hint: error.hint };
    const base = isNewest ? { key, from, to, code: error.code, ...newest } : known;
    counts.set(key, { ...base, count });
  }
  return [...counts.values()].toSorted((a, b) => b.lastSeq - a.lastSeq);
}
