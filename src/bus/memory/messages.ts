import { randomUUID } from "node:crypto";
import { choose } from "../choose.ts";
import type { Holds } from "../holds.ts";
import { saysTheSame } from "../letter.ts";
import type { HistoryRows, Leased, Operation, Outcome, StoredRow } from "../store.ts";
import type { KeptMessage, MemoryDisk } from "./disk.ts";
import { pageOfRows } from "./pages.ts";
import { writeAll } from "./records.ts";

/** A disk and what one opening of it keeps. */
export interface Opening {
  disk: MemoryDisk;
  holds: Holds;
  maxAttempts: number;
}

export function send({ disk }: Opening, ask: Operation<"send">): Outcome<"send"> {
  const known = disk.byId.get(ask.letter.id);
  if (known) return saysTheSame(known.body, ask.letter.body) ? "duplicate" : "conflict";
  writeAll(disk, ask.writes, ask.nowMs);
  disk.add(ask.letter, ask.nowMs);
  return "new";
}

export function claim(opening: Opening, ask: Operation<"claim">): Outcome<"claim"> {
  const { disk, holds, maxAttempts } = opening;
  const { recipient, nowMs, max, maxBytes, leaseMs } = ask;
  const lines = ask.lines.map((line) => ({ line, entries: disk.line(recipient, line).values() }));
  const choice = choose(lines, holds, { nowMs, max, maxBytes, maxAttempts });
  for (const { seq } of choice.expired) {
    const kept = disk.message(seq);
    if (kept) disk.bury(kept, "expired", "Its time to live was over.", nowMs);
  }
  for (const { seq } of choice.lapsed) {
    holds.set(seq, undefined);
    const kept = disk.message(seq);
    if (kept) countAttempt(opening, kept, "Its lease ran out.", nowMs);
  }
  const leased = choice.chosen.flatMap(({ seq }): Leased[] => {
    const kept = disk.message(seq);
    if (!kept) return [];
    const [token, untilMs] = [randomUUID(), nowMs + leaseMs];
    holds.set(seq, { token, untilMs });
    const { id, body, attempts, expiresAt } = kept;
    return [{ id, token, body, attempts, expiresAt, untilMs }];
  });
  return { leased, nextMs: choice.nextMs };
}

export function settle(opening: Opening, ask: Operation<"settle">): Outcome<"settle"> {
  const { disk, holds } = opening;
  const { id, token, how, writes, nowMs } = ask;
  const kept = disk.byId.get(id);
  if (!kept?.entry || !holds.yieldsTo(kept.seq, token)) return false;
  if (how.kind !== "ack" && holds.get(kept.seq)?.token !== token) return false;
  writeAll(disk, writes, nowMs);
  if (how.kind === "extend") {
    holds.set(kept.seq, { token, untilMs: nowMs + how.leaseMs });
    return true;
  }
  holds.set(kept.seq, undefined);
  if (how.kind === "ack") disk.settle(kept, nowMs);
  else if (how.kind === "term") disk.bury(kept, "refused", how.why, nowMs);
  else {
    if (how.delayMs > 0) holds.set(kept.seq, { untilMs: nowMs + how.delayMs });
    if (how.counted) countAttempt(opening, kept, how.why || "It was given back.", nowMs);
  }
  return true;
}

export function hold({ disk, holds }: Opening, { leases }: Operation<"hold">): Outcome<"hold"> {
  for (const { id, token, untilMs } of leases) {
    const kept = disk.byId.get(id);
    if (kept?.entry) holds.set(kept.seq, { token, untilMs });
  }
  return true;
}

export function get(opening: Opening, { id }: Operation<"get">): Outcome<"get"> {
  const kept = opening.disk.byId.get(id);
  return kept && rowOf(opening, kept);
}

export function history(
  opening: Opening,
  { filter, page }: Operation<"history">,
): Outcome<"history"> {
  const names = Object.keys(filter) as (keyof HistoryRows)[];
  const fits = (kept: KeptMessage): boolean => names.every((name) => kept[name] === filter[name]);
  const rows = opening.disk.messages.filter(fits).map((kept) => rowOf(opening, kept));
  return pageOfRows(rows, page);
}

export function counts({ disk }: Opening): Outcome<"counts"> {
  const waiting: Record<string, number> = {};
  for (const { entry, recipient } of disk.messages) {
    if (entry) waiting[recipient] = (waiting[recipient] ?? 0) + 1;
  }
  return waiting;
}

function countAttempt(
  { disk, maxAttempts }: Opening,
  kept: KeptMessage,
  why: string,
  nowMs: number,
) {
  kept.attempts += 1;
  if (kept.entry) kept.entry.attempts = kept.attempts;
  if (kept.attempts >= maxAttempts) disk.bury(kept, "attempts", why, nowMs);
}

function rowOf({ holds }: Opening, kept: KeptMessage): StoredRow {
  const { seq, body, attempts, sentAt, settledAt } = kept;
  const waiting = holds.isLeased(seq) ? "leased" : "waiting";
  const state = kept.entry ? waiting : kept.dead ? "dead" : "done";
  return { seq, body, attempts, sentAt, settledAt, state };
}
