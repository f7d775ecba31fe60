import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { errorOf } from "../../wire/errors.ts";
import type { TransactedDatabase } from "../sqlite/transacted-database.ts";

/** The tables of a team's memory, with the columns that order their rows. */
const tables = {
  messages: "seq",
  inbox: "recipient, line, place",
  done: "seq",
  dead: "number",
  records: "seq",
  record_fields: "collection, name, value, seq",
  onces: "name",
} as const;
const names = Object.keys(tables) as (keyof typeof tables)[];

type Row = Record<string, SQLInputValue>;

/** In one step. */
const CHUNK_CHARACTERS = 400_000;
const CHUNK_ROWS = 2000;

/** Copies what `to` lacks. Repeated after an interruption, it continues. Returns the number of rows in `from`. */
export async function copyTables(from: DatabaseSync, to: TransactedDatabase): Promise<number> {
  const sequence = from.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'records'").get();
  let count = 0;
  for (const name of names) {
    for (const rows of chunksOf(from, name)) {
      count += rows.length;
      await to.transact((target) => {
        for (const row of rows) {
          const columns = Object.keys(row);
          const marks = columns.map(() => "?").join(", ");
          const sql = `INSERT OR IGNORE INTO ${name} (${columns.join(", ")}) VALUES (${marks})`;
          target.run(sql, ...Object.values(row));
        }
        // A number that a removed record had is not given to another one.
        if (name === "records" && sequence)
          target.run(
            "UPDATE sqlite_sequence SET seq = ? WHERE name = 'records'",
            Number(sequence["seq"]),
          );
      });
    }
  }
  return count;
}

/** Whether `part` has no row that `whole` lacks. */
export function hasOnlyRowsOf(part: DatabaseSync, whole: DatabaseSync): boolean {
  return names.every((name) => {
    const keys = tables[name].split(", ");
    const where = keys.map((key) => `${key} = ?`).join(" AND ");
    const find = whole.prepare(`SELECT * FROM ${name} WHERE ${where}`);
    for (const row of rowsOf(part, name)) {
      const other = find.get(...keys.map((key) => row[key] ?? null));
      if (!other || JSON.stringify(other) !== JSON.stringify(row)) return false;
    }
    return true;
  });
}

/** @throws `bus_invalid` when one row differs. */
export function mustBeSame(one: DatabaseSync, other: DatabaseSync): void {
  for (const name of names) {
    const others = rowsOf(other, name)[Symbol.iterator]();
    for (const row of rowsOf(one, name)) {
      if (JSON.stringify(row) !== JSON.stringify(others.next().value)) throw different(name);
    }
    if (others.next().done !== true) throw different(name);
  }
}

const different = (table: string): Error =>
  errorOf("bus_invalid", `The copy differs from its original in the table ${table}.`, {
    hint: "Nothing was replaced: the original is as it was.",
  });

const rowsOf = (db: DatabaseSync, name: keyof typeof tables): Iterable<Row> =>
  db.prepare(`SELECT * FROM ${name} ORDER BY ${tables[name]}`).iterate() as Iterable<Row>;

function* chunksOf(db: DatabaseSync, name: keyof typeof tables): Generator<Row[]> {
  let chunk: Row[] = [];
  let characters = 0;
  for (const row of rowsOf(db, name)) {
    chunk.push(row);
    for (const value of Object.values(row)) {
      if (typeof value === "string") characters += value.length;
    }
    if (characters < CHUNK_CHARACTERS && chunk.length < CHUNK_ROWS) continue;
    yield chunk;
    chunk = [];
    characters = 0;
  }
  if (chunk.length > 0) yield chunk;
}
