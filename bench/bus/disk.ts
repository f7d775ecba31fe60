import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { makeMessage } from "./message.ts";

const PAGE_BYTES = 4_096;
const LOG_PAGES = 1_000;

/**
 * How often a second this disk makes a page durable: over an old one, as SQLite writes its log once that
 * has its size, or at the end of a file that grows.
 */
export function syncsPerSecond(path: string, where: "over" | "end", forMs: number): number {
  const page = Buffer.alloc(PAGE_BYTES, 1);
  const file = openSync(path, "w");
  for (let index = 0; index < LOG_PAGES; index += 1) writeSync(file, page);
  fdatasyncSync(file);
  const start = performance.now();
  let syncs = 0;
  while (performance.now() - start < forMs) {
    const at = where === "over" ? syncs % LOG_PAGES : LOG_PAGES + syncs;
    writeSync(file, page, 0, PAGE_BYTES, at * PAGE_BYTES);
    fdatasyncSync(file);
    syncs += 1;
  }
  const seconds = (performance.now() - start) / 1000;
  closeSync(file);
  return syncs / seconds;
}

/** Messages a second that SQLite takes into one plain table, so many in each transaction. */
export function rawInsertsPerSecond(path: string, batch: number, forMs: number): number {
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE messages (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL) STRICT`);
  const insert = db.prepare("INSERT INTO messages (id, body) VALUES (?, ?)");
  const start = performance.now();
  let inserts = 0;
  while (performance.now() - start < forMs) {
    db.exec("BEGIN");
    for (let index = 0; index < batch; index += 1) {
      const message = makeMessage("ann", "bob");
      insert.run(message.id, JSON.stringify(message));
    }
    db.exec("COMMIT");
    inserts += batch;
  }
  const seconds = (performance.now() - start) / 1000;
  db.close();
  return inserts / seconds;
}
