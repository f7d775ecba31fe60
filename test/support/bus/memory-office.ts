import { DatabaseSync } from "node:sqlite";
import { makeMessage } from "./messages.ts";
import { patientClock } from "./stormy-log.ts";
import type { LoggedDatabase } from "../../../src/bus/changelog/logged-database.ts";
import type { EntryStream } from "../../../src/bus/changelog/entry-stream.ts";
import { openLoggedDatabase } from "../../../src/bus/changelog/open-logged-database.ts";
import { perform } from "../../../src/bus/sqlite/perform-operation.ts";
import { toStoredMessage } from "../../../src/bus/stored-message.ts";
import type { StoreOutcome } from "../../../src/bus/store.ts";

export interface Office {
  readonly database: LoggedDatabase;
  readonly office: { seq: number };
  readonly deposedBy: string[];
}

/** Opens a replica in this thread, and becomes the office. */
export async function openOffice(
  path: string,
  stream: EntryStream,
  options: { patienceMs?: number; resumeFrom?: number } = {},
): Promise<Office> {
  const deposedBy: string[] = [];
  const opened = await openLoggedDatabase({
    path,
    maxAttempts: 5,
    patienceMs: 200,
    ...options,
    writer: "test",
    clock: patientClock(),
    openStream: () => Promise.resolve(stream),
    onDeposed: (by) => deposedBy.push(by),
  });
  return { ...opened, deposedBy };
}

/** Sends a message, and counts it in a record in the same transaction. */
export function sendCounted(
  { database }: Office,
  id: string,
  content = "hello",
): Promise<StoreOutcome<"send">> {
  const letter = toStoredMessage(makeMessage({ id, content }), 1);
  const add = { kind: "add", collection: "counts", key: "sent", amounts: { sent: 1 } } as const;
  return database.transact((tables) =>
    perform(tables, { kind: "send", letter, writes: [add], nowMs: 1 }),
  );
}

const tables = ["messages", "inbox", "done", "dead", "records", "record_fields", "onces"];

/** Every row of the tables that count, of a database that nothing has open. */
export function dump(path: string): Record<string, unknown[]> {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const rows = [...tables, "sqlite_sequence"].map((table) => {
      const columns = db.prepare(`PRAGMA table_info(${table})`).all();
      const by = columns.map((_, index) => index + 1).join(", ");
      return [table, db.prepare(`SELECT * FROM ${table} ORDER BY ${by}`).all()] as const;
    });
    return Object.fromEntries(rows);
  } finally {
    db.close();
  }
}
