import { randomUUID } from "node:crypto";
import { pickDeliveries } from "../pick-deliveries.ts";
import type { LeasesAndDelays } from "../leases-and-delays.ts";
import { isSameMessage } from "../stored-message.ts";
import type { HistoryRows, Leased, Operation, StoreOutcome, StoredRow } from "../store.ts";
import type { MemoryMessage, MemoryDisk } from "./disk.ts";
import { pageOfRows } from "./pages.ts";
import { writeAll } from "./records.ts";

/** A disk and the state of one opening of it. */
export interface OpenMemory {
  disk: MemoryDisk;
  holds: LeasesAndDelays;
  maxAttempts: number;
}

export function send({ disk }: OpenMemory, ask: Operation<"send">): StoreOutcome<"send"> {
  const known = disk.byId.get(ask.letter.id);
  if (known) return isSameMessage(known.body, ask.letter.body) ? "duplicate" : "conflict";
  writeAll(disk, ask.writes, ask.nowMs);
  disk.add(ask.letter, ask.nowMs);
  const added = ask.delivered === true ? disk.byId.get(ask.letter.id) : undefined;
  if (added) disk.settle(added, ask.nowMs);
  return "new";
}

export function claim(opening: OpenMemory, ask: Operation<"claim">): StoreOutcome<"claim"> {
  const { disk, holds, maxAttempts } = opening;
  const { recipient, nowMs, max, maxBytes, leaseMs } = ask;
  const lines = ask.lines.map((line) => ({ line, entries: disk.line(recipient, line).values() }));
  const choice = pickDeliveries(lines, holds, { nowMs, max, maxBytes, maxAttempts });
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

export function settle(opening: OpenMemory, ask: Operation<"settle">): StoreOutcome<"settle"> {
  const { disk, holds } = opening;
  const { id, token, how, writes, nowMs } = ask;
  const kept = disk.byId.get(id);
  if (!kept?.entry || !holds.maySettle(kept.seq, token)) return false;
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
    if (how.counted) countAttempt(opening, kept, how.why || "Its recipient returned it.", nowMs);
  }
  return true;
}

export function hold(
  { disk, holds }: OpenMemory,
  { leases }: Operation<"hold">,
): StoreOutcome<"hold"> {
  for (const { id, token, untilMs } of leases) {
    const kept = disk.byId.get(id);
    if (kept?.entry) holds.set(kept.seq, { token, untilMs });
  }
  return true;
}

export function get(opening: OpenMemory, { id }: Operation<"get">): StoreOutcome<"get"> {
  const kept = opening.disk.byId.get(id);
  return kept && rowOf(opening, kept);
}

export function history(
  opening: OpenMemory,
  { filter, page }: Operation<"history">,
): StoreOutcome<"history"> {
  const names = Object.keys(filter) as (keyof HistoryRows)[];
  const fits = (kept: MemoryMessage): boolean => names.every((name) => kept[name] === filter[name]);
  const rows = opening.disk.messages.filter(fits).map((kept) => rowOf(opening, kept));
  return pageOfRows(rows, page);
}

export function counts({ disk }: OpenMemory): StoreOutcome<"counts"> {
  const waiting: Record<string, number> = {};
  for (const { entry, recipient } of disk.messages) {
    if (entry) waiting[recipient] = (waiting[recipient] ?? 0) + 1;
  }
  return waiting;
}

function countAttempt(
  { disk, maxAttempts }: OpenMemory,
  kept: MemoryMessage,
  why: string,
  nowMs: number,
) {
  kept.attempts += 1;
  if (kept.entry) kept.entry.attempts = kept.attempts;
  if (kept.attempts >= maxAttempts) disk.bury(kept, "attempts", why, nowMs);
}

function rowOf({ holds }: OpenMemory, kept: MemoryMessage): StoredRow {
  const { seq, body, attempts, sentAt, settledAt } = kept;
  const waiting = holds.isLeased(seq) ? "leased" : "waiting";
  const state = kept.entry ? waiting : kept.dead ? "dead" : "done";
  return { seq, body, attempts, sentAt, settledAt, state };
}
