import { chmodSync, closeSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { systemCode } from "../../files/system-error-code.ts";
import { migrate } from "./migrations.ts";
import { syncDirectory } from "../../files/replace-file.ts";

/** How long to wait for a killed owner's lock to go. */
const LOCK_TIMEOUT_MS = 1_000;
const WAL_LIMIT_BYTES = 67_108_864;
/**
 * Ids are random, so almost every message changes another page of their index. The more messages the log holds before
 * it is copied into the database, the more of them share the copy of a page.
 */
const CHECKPOINT_PAGES = 8_000;

export interface DatabaseOptions {
  checkpointPages?: number | undefined;
  /** With `FULL` a commit survives a power loss. With `NORMAL` the last ones may be missing then, and the file is whole. */
  synchronous?: "FULL" | "NORMAL";
  /** Up to which version the tables are brought; by default the newest. 0 leaves them as they are. */
  schema?: number;
}

/**
 * Opens the database for this process alone, readable only by its owner. `EXCLUSIVE` before `WAL` keeps the index of
 * the log in memory, so that a kill leaves nothing shared behind.
 */
export function openDatabase(path: string, options: DatabaseOptions = {}): DatabaseSync {
  const { checkpointPages = CHECKPOINT_PAGES, synchronous = "FULL", schema } = options;
  createPrivately(path);
  const db = new DatabaseSync(path, { timeout: LOCK_TIMEOUT_MS });
  try {
    db.exec(`
      PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = ${synchronous};
      PRAGMA wal_autocheckpoint = ${checkpointPages};
      PRAGMA journal_size_limit = ${WAL_LIMIT_BYTES};
      BEGIN IMMEDIATE; COMMIT;
    `);
    migrate(db, schema);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Never opens an existing file: closing it again would drop the locks that another bus of this process holds on it.
 */
function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
    // Without it a power loss could take the new file's name, and everything in it.
    syncDirectory(dirname(path));
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
    chmodSync(path, 0o600);
  }
}
