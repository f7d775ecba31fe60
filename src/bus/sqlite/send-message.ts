import { isSameMessage } from "../stored-message.ts";
import { lanes, priorities } from "../inbox-order.ts";
import type { Line } from "../inbox-order.ts";
import type { StoredMessage, Operation, StoreOutcome } from "../store.ts";
import { indexWhenFarBehind, newestTo } from "./history-index.ts";
import { writeAll } from "./records.ts";
import { finish } from "./settle-messages.ts";
import type { OpenDatabase } from "./database-in-use.ts";

export function send(tables: OpenDatabase, ask: Operation<"send">): StoreOutcome<"send"> {
  if (!insert(tables, ask.letter, ask.nowMs)) {
    const known = bodyOf(tables, ask.letter.id) ?? "";
    return isSameMessage(known, ask.letter.body) ? "duplicate" : "conflict";
  }
  if (ask.delivered === true) finish(tables, ask.letter.id, ask.nowMs);
  writeAll(tables, ask.writes, ask.nowMs);
  return "new";
}

export const lineNumber = ({ priority, lane }: Line): number =>
  priorities.indexOf(priority) * lanes.length + lanes.indexOf(lane);

export function bodyOf(tables: OpenDatabase, id: string): string | undefined {
  const [row] = tables.all<{ body: string }>("SELECT body FROM messages WHERE id = ?", id);
  return row?.body;
}

/** Returns false when there is a message with this id already. */
export function insert(tables: OpenDatabase, letter: StoredMessage, nowMs: number): boolean {
  const { id, sender, recipient, type, rootId, correlationId, replyTo, expiresAt, body } = letter;
  const line = lineNumber(letter);
  const place = nextPlace(tables, recipient);
  const seq = tables.insertNew(
    `INSERT INTO messages (id, sender, recipient, type, root_id, correlation_id, reply_to, sent_at, expires_at, line, place, body)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
    id,
    sender,
    recipient,
    type,
    rootId,
    correlationId,
    replyTo,
    nowMs,
    expiresAt,
    line,
    place,
    body,
  );
  if (seq === undefined) return false;
  tables.places.set(recipient, place);
  tables.run(
    `INSERT INTO inbox (recipient, line, place, seq, sender, bytes, attempts, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, 0, ?)`,
    recipient,
    line,
    place,
    seq,
    sender,
    letter.bytes,
    expiresAt,
  );
  indexWhenFarBehind(tables, seq);
  return true;
}

function nextPlace(tables: OpenDatabase, recipient: string): number {
  return (tables.places.get(recipient) ?? lastPlace(tables, recipient)) + 1;
}

/** Includes messages that no longer wait: everything that still waits is before them. */
function lastPlace(tables: OpenDatabase, recipient: string): number {
  const [newest] = tables.all<{ place: number | null }>(
    "SELECT place FROM messages WHERE seq = ?",
    newestTo(tables, recipient) ?? 0,
  );
  let last = newest?.place ?? 0;
  // A message that an earlier version settled does not store its place.
  for (let line = 0; line < priorities.length * lanes.length; line += 1) {
    const [row] = tables.all<{ place: number | null }>(
      "SELECT max(place) AS place FROM inbox WHERE recipient = ? AND line = ?",
      recipient,
      line,
    );
    last = Math.max(last, row?.place ?? 0);
  }
  return last;
}
