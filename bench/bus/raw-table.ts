import type { StatementSync } from "node:sqlite";
import { DatabaseSync } from "node:sqlite";
import type { CCMessage } from "../../src/wire/team/messages.ts";

/** SQLite with one plain table, which grows as long as it is open. */
export class RawTable {
  readonly #db: DatabaseSync;
  readonly #insert: StatementSync;

  constructor(path: string) {
    this.#db = new DatabaseSync(path);
    this.#db
      .exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
      CREATE TABLE messages (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL) STRICT`);
    this.#insert = this.#db.prepare("INSERT INTO messages (id, body) VALUES (?, ?)");
  }

  /** All in one transaction. */
  insert(messages: readonly CCMessage[]): void {
    this.#db.exec("BEGIN");
    for (const message of messages) this.#insert.run(message.id, JSON.stringify(message));
    this.#db.exec("COMMIT");
  }

  close(): void {
    this.#db.close();
  }
}
