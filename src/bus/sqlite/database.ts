import { chmodSync, closeSync, fsyncSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { systemCode } from "../../net/system-error.ts";
import { migrate } from "./migrations.ts";

/** How long to wait for a killed owner to let go. */
const LOCK_TIMEOUT_MS = 1_000;
const WAL_LIMIT_BYTES = 67_108_864;
/**
 * Ids are random, so that almost every message changes a page of their index of its own. The more messages
 * the log holds before it is copied into the database, the more of them share the copy of a page.
 */
const CHECKPOINT_PAGES = 8_000;

/**
 * Opens the database for this process alone, readable for its owner alone. `EXCLUSIVE` before `WAL`
 * keeps the index of the log in memory, so that nothing shared is left behind by a kill.
 */
export function openDatabase(path: string, checkpointPages = CHECKPOINT_PAGES): DatabaseSync {
  createPrivately(path);
  const db = new DatabaseSync(path, { timeout: LOCK_TIMEOUT_MS });
  try {
    db.exec(`
      PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA wal_autocheckpoint = ${checkpointPages};
      PRAGMA journal_size_limit = ${WAL_LIMIT_BYTES};
      BEGIN IMMEDIATE; COMMIT;
    `);
    migrate(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Never opens a file that is there: closing it again would drop the locks that another bus of this
 * process holds on it.
 */
function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
    syncDirectory(dirname(path));
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
    chmodSync(path, 0o600);
  }
}

/** Without it a cut of the power could take the new file's name, with all that is in it. */
function syncDirectory(path: string): void {
  const directory = openSync(path, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
