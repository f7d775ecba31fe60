import { DatabaseSync } from "node:sqlite";
import { errorOf } from "../../wire/errors.ts";
import { failureOf } from "./describe-sqlite-error.ts";

/**
 * What is wrong with the database of a closed bus; an empty list when nothing is. Fails with `bus_in_use`, or
 * `bus_invalid` when it cannot be read at all.
 */
export function findDamage(path: string): string[] {
  const db = openExisting(path);
  try {
    const damage = db.prepare("PRAGMA integrity_check").all() as { integrity_check: string }[];
    const astray = db
      .prepare(
        `SELECT seq FROM messages WHERE 1 <> (seq IN (SELECT seq FROM inbox))
           + (seq IN (SELECT seq FROM done)) + (seq IN (SELECT seq FROM dead)) LIMIT 10`,
      )
      .all() as { seq: number }[];
    return [
      ...damage.map((row) => row.integrity_check).filter((text) => text !== "ok"),
      ...astray.map(({ seq }) => `message ${seq} is not in exactly one of inbox, done and dead`),
    ];
  } catch (error) {
    const { code, message } = failureOf(error);
    throw errorOf(code, message, { data: { path }, cause: error });
  } finally {
    db.close();
  }
}

function openExisting(path: string): DatabaseSync {
  try {
    const db = new DatabaseSync(path);
    db.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; COMMIT;");
    return db;
  } catch (error) {
    const { code, message } = failureOf(error);
    throw errorOf(code, message, { data: { path }, cause: error });
  }
}
