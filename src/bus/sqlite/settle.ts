import type { DeathCause } from "../bus.ts";
import type { Operation, Outcome } from "../store.ts";
import { writeAll } from "./records.ts";
import type { Tables } from "./tables.ts";

/** Places are given anew, so that alone the number tells whether it is still this message that waits there. */
export const JOIN_INBOX = `JOIN inbox ON inbox.recipient = messages.recipient AND inbox.line = messages.line
    AND inbox.place = messages.place AND inbox.seq = messages.seq`;
const WHERE_IT_WAITS = `WHERE (recipient, line, place, seq) =
    (SELECT recipient, line, place, seq FROM messages WHERE seq = ?)`;

interface Waiting {
  seq: number;
  attempts: number;
}

export function settle(tables: Tables, ask: Operation<"settle">): Outcome<"settle"> {
  const { id, token, how, nowMs } = ask;
  const { holds } = tables;
  const waiting = findWaiting(tables, id);
  if (!waiting || !holds.yieldsTo(waiting.seq, token)) return false;
  const { seq, attempts } = waiting;
  // Only the end of the work is good news at any time; the rest belongs to the holder of the lease.
  if (how.kind !== "ack" && holds.get(seq)?.token !== token) return false;

  switch (how.kind) {
    case "ack":
      leaveInbox(tables, seq);
      tables.run("INSERT INTO done (seq, at, attempts) VALUES (?, ?, ?)", seq, nowMs, attempts);
      break;
    case "nak":
      tables.undoWith(
        holds.set(seq, how.delayMs > 0 ? { untilMs: nowMs + how.delayMs } : undefined),
      );
      if (how.counted) countAttempt(tables, seq, attempts, how.why || "It was given back.", nowMs);
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

export function hold(tables: Tables, { leases }: Operation<"hold">): Outcome<"hold"> {
  for (const { id, token, untilMs } of leases) {
    const waiting = findWaiting(tables, id);
    if (waiting) tables.undoWith(tables.holds.set(waiting.seq, { token, untilMs }));
  }
  return true;
}

/** One more failed delivery; the last one that is allowed makes a dead letter. */
export function countAttempt(
  tables: Tables,
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
  tables: Tables,
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

function leaveInbox(tables: Tables, seq: number): void {
  tables.undoWith(tables.holds.set(seq, undefined));
  tables.run(`DELETE FROM inbox ${WHERE_IT_WAITS}`, seq);
}

function findWaiting(tables: Tables, id: string): Waiting | undefined {
  const [waiting] = tables.all<Waiting>(
    `SELECT inbox.seq, inbox.attempts FROM messages ${JOIN_INBOX}
     WHERE messages.id = ?`,
    id,
  );
  return waiting;
}
