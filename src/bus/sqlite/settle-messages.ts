import type { DeathCause } from "../bus.ts";
import type { Operation, StoreOutcome } from "../store.ts";
import { writeAll } from "./records.ts";
import type { OpenDatabase } from "./database-in-use.ts";

/** `place` is reused; only `seq` identifies the message. */
export const JOIN_INBOX = `JOIN inbox ON inbox.recipient = messages.recipient AND inbox.line = messages.line
    AND inbox.place = messages.place AND inbox.seq = messages.seq`;
const WHERE_IT_WAITS = `WHERE (recipient, line, place, seq) =
    (SELECT recipient, line, place, seq FROM messages WHERE seq = ?)`;

interface Waiting {
  seq: number;
  attempts: number;
}

export function settle(tables: OpenDatabase, ask: Operation<"settle">): StoreOutcome<"settle"> {
  const { id, token, how, nowMs } = ask;
  const { holds } = tables;
  const waiting = findWaiting(tables, id);
  if (!waiting || !holds.maySettle(waiting.seq, token)) return false;
  const { seq, attempts } = waiting;
  // A late `ack` is welcome; the other outcomes are only for the holder of the lease.
  if (how.kind !== "ack" && holds.get(seq)?.token !== token) return false;

  switch (how.kind) {
    case "ack":
      end(tables, waiting, nowMs);
      break;
    case "nak":
      tables.undoWith(
        holds.set(seq, how.delayMs > 0 ? { untilMs: nowMs + how.delayMs } : undefined),
      );
      if (how.counted)
        countAttempt(tables, seq, attempts, how.why || "Its recipient returned it.", nowMs);
      break;
    case "term":
      bury(tables, seq, { cause: "refused", why: how.why, attempts }, nowMs);
      break;
    case "extend":
      tables.undoWith(holds.set(seq, { token, untilMs: nowMs + how.leaseMs }));
      break;
  }
  writeAll(tables, ask.writes, nowMs);
  return true;
}

/** The message needs no delivery: it leaves its inbox in the transaction in which it came. */
export function finish(tables: OpenDatabase, id: string, nowMs: number): void {
  const waiting = findWaiting(tables, id);
  if (waiting) end(tables, waiting, nowMs);
}

function end(tables: OpenDatabase, { seq, attempts }: Waiting, nowMs: number): void {
  leaveInbox(tables, seq);
  tables.run("INSERT INTO done (seq, at, attempts) VALUES (?, ?, ?)", seq, nowMs, attempts);
}

export function hold(tables: OpenDatabase, { leases }: Operation<"hold">): StoreOutcome<"hold"> {
  for (const { id, token, untilMs } of leases) {
    const waiting = findWaiting(tables, id);
    if (waiting) tables.undoWith(tables.holds.set(waiting.seq, { token, untilMs }));
  }
  return true;
}

/** Counts a failed delivery; the last one allowed makes a dead letter. */
export function countAttempt(
  tables: OpenDatabase,
  seq: number,
  attemptsBefore: number,
  why: string,
  nowMs: number,
): void {
  const attempts = attemptsBefore + 1;
  if (attempts >= tables.maxAttempts)
    bury(tables, seq, { cause: "attempts", why, attempts }, nowMs);
  else tables.run(`UPDATE inbox SET attempts = ? ${WHERE_IT_WAITS}`, attempts, seq);
}

export function bury(
  tables: OpenDatabase,
  seq: number,
  { cause, why, attempts }: { cause: DeathCause; why: string; attempts: number },
  nowMs: number,
): void {
  leaveInbox(tables, seq);
  tables.run(
    "INSERT INTO dead (seq, cause, why, attempts, at, fate) VALUES (?, ?, ?, ?, ?, 'open')",
    seq,
    cause,
    why,
    attempts,
    nowMs,
  );
}

function leaveInbox(tables: OpenDatabase, seq: number): void {
  tables.undoWith(tables.holds.set(seq, undefined));
  tables.run(`DELETE FROM inbox ${WHERE_IT_WAITS}`, seq);
}

function findWaiting(tables: OpenDatabase, id: string): Waiting | undefined {
  const [waiting] = tables.all<Waiting>(
    `SELECT inbox.seq, inbox.attempts FROM messages ${JOIN_INBOX}
     WHERE messages.id = ?`,
    id,
  );
  return waiting;
}
