import { randomUUID } from "node:crypto";
import { errorOf } from "../../wire/errors.ts";
import type { WaitingMessage } from "../pick-deliveries.ts";
import { pickDeliveries } from "../pick-deliveries.ts";
import type { Leased, Operation, StoreOutcome } from "../store.ts";
import { bury, countAttempt } from "./settle-messages.ts";
import { lineNumber } from "./send-message.ts";
import type { OpenDatabase } from "./database-in-use.ts";

const MAX_CHUNK = 64;

export function claim(tables: OpenDatabase, ask: Operation<"claim">): StoreOutcome<"claim"> {
  const { recipient, nowMs, max, maxBytes, leaseMs } = ask;
  const { holds, maxAttempts } = tables;
  const chunk = Math.min(max, MAX_CHUNK);
  const waiting = waitingLines(tables, recipient);
  const lines = ask.lines
    .filter((line) => waiting.has(lineNumber(line)))
    .map((line) => ({ line, entries: entriesOf(tables, recipient, lineNumber(line), chunk) }));
  const choice = pickDeliveries(lines, holds, { nowMs, max, maxBytes, maxAttempts });
  for (const { seq, attempts } of choice.expired) {
    bury(tables, seq, { cause: "expired", why: "Its time to live was over.", attempts }, nowMs);
  }
  for (const entry of choice.lapsed) {
    tables.undoWith(holds.set(entry.seq, undefined));
    countAttempt(tables, entry.seq, entry.attempts, "Its lease ran out.", nowMs);
  }
  const lapsed = new Set(choice.lapsed);
  return {
    nextMs: choice.nextMs,
    leased: choice.chosen.map((entry) =>
      lease(tables, entry, entry.attempts + (lapsed.has(entry) ? 1 : 0), nowMs + leaseMs),
    ),
  };
}

function lease(
  tables: OpenDatabase,
  entry: WaitingMessage,
  attempts: number,
  untilMs: number,
): Leased {
  const token = randomUUID();
  tables.undoWith(tables.holds.set(entry.seq, { token, untilMs }));
  const [letter] = tables.all<{ id: string; body: string }>(
    "SELECT id, body FROM messages WHERE seq = ?",
    entry.seq,
  );
  if (!letter)
    throw errorOf("bus_invalid", `Message ${entry.seq} is in the inbox, but its row is missing.`);
  const { id, body } = letter;
  return { id, token, body, attempts, expiresAt: entry.expiresAt, untilMs };
}

/** The lines with waiting messages: mostly one or two. */
function waitingLines(tables: OpenDatabase, recipient: string): Set<number> {
  const found = new Set<number>();
  for (let after = -1; ;) {
    const [next] = tables.all<{ line: number }>(
      "SELECT line FROM inbox WHERE recipient = ? AND line > ? ORDER BY line LIMIT 1",
      recipient,
      after,
    );
    if (!next) return found;
    found.add(next.line);
    after = next.line;
  }
}

/** In small pages: a claim mostly needs the first few, however many wait. */
function* entriesOf(
  tables: OpenDatabase,
  recipient: string,
  line: number,
  chunk: number,
): Generator<WaitingMessage, void> {
  let after = 0;
  for (let size = chunk; ; size = MAX_CHUNK) {
    const entries = tables.all<WaitingMessage>(
      `SELECT seq, sender, place, bytes, attempts, expires_at AS expiresAt FROM inbox
       WHERE recipient = ? AND line = ? AND place > ? ORDER BY place LIMIT ?`,
      recipient,
      line,
      after,
      size,
    );
    yield* entries;
    const last = entries.at(-1);
    if (!last || entries.length < size) return;
    after = last.place;
  }
}
