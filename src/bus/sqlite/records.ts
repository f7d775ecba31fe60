import { randomUUID } from "node:crypto";
import type { SQLInputValue } from "node:sqlite";
import { addAmounts } from "../add-amounts.ts";
import type { JsonObject } from "../../wire/json.ts";
import type { Fields, Write } from "../records.ts";
import type { Operation, StoreOutcome, RecordRow } from "../store.ts";
import { pageOfRows, placeRange } from "./pages.ts";
import type { OpenDatabase } from "./database-in-use.ts";

interface Written {
  seq: number;
  collection: string;
  key: string;
  value: string;
  fields: string;
  at: number;
}

export function write(tables: OpenDatabase, ask: Operation<"write">): StoreOutcome<"write"> {
  const { writes, once, nowMs } = ask;
  if (once !== undefined) {
    const first = tables.run("INSERT OR IGNORE INTO onces (name, at) VALUES (?, ?)", once, nowMs);
    if (first === 0) return false;
  }
  writeAll(tables, writes, nowMs);
  return true;
}

export function writeAll(tables: OpenDatabase, writes: readonly Write[], nowMs: number): void {
  for (const each of writes) {
    const { collection } = each;
    if (each.kind === "append") {
      create(tables, collection, randomUUID(), each.value, each.fields ?? {}, nowMs);
    } else if (each.kind === "put") {
      put(tables, collection, each.key, each.value, each.fields ?? {}, nowMs);
    } else if (each.kind === "add") {
      const known = find(tables, collection, each.key);
      const value = known ? (JSON.parse(known.value) as JsonObject) : {};
      const fields = known ? (JSON.parse(known.fields) as Fields) : {};
      put(tables, collection, each.key, addAmounts(value, each.amounts), fields, nowMs);
    } else {
      const known = find(tables, collection, each.key);
      if (known) remove(tables, known);
    }
  }
}

export function recordGet(
  tables: OpenDatabase,
  { collection, key }: Operation<"recordGet">,
): StoreOutcome<"recordGet"> {
  const found = find(tables, collection, key);
  return found && rowOf(found);
}

export function recordQuery(
  tables: OpenDatabase,
  { query, page }: Operation<"recordQuery">,
): StoreOutcome<"recordQuery"> {
  const { collection, where, sinceMs, untilMs } = query;
  const range = placeRange(page, "records.seq");
  const joins: string[] = [];
  const values: SQLInputValue[] = [];
  // The field drives the search, so that a rare value is found without reading all records.
  for (const [index, [name, value]] of Object.entries(where).entries()) {
    const on = index === 0 ? "records.seq" : "f0.seq";
    joins.push(
      `JOIN record_fields f${index} ON f${index}.collection = ? AND f${index}.name = ?
       AND f${index}.value = ? AND f${index}.seq = ${on}`,
    );
    values.push(collection, name, value);
  }
  const rows = tables.all<Written>(
    `SELECT records.* FROM records ${joins.join(" ")}
     WHERE records.collection = ? AND records.at >= ? AND records.at <= ? ${range.sql}`,
    ...values,
    collection,
    sinceMs ?? 0,
    untilMs ?? Number.MAX_SAFE_INTEGER,
    ...range.values,
  );
  return pageOfRows(rows.map(rowOf), page);
}

function find(tables: OpenDatabase, collection: string, key: string): Written | undefined {
  const sql = "SELECT * FROM records WHERE collection = ? AND key = ?";
  const [found] = tables.all<Written>(sql, collection, key);
  return found;
}

function put(
  tables: OpenDatabase,
  collection: string,
  key: string,
  value: JsonObject,
  fields: Fields,
  nowMs: number,
): void {
  const known = find(tables, collection, key);
  if (!known) return create(tables, collection, key, value, fields, nowMs);
  const fieldsText = JSON.stringify(fields);
  tables.run(
    "UPDATE records SET value = ?, fields = ?, at = ? WHERE seq = ?",
    JSON.stringify(value),
    fieldsText,
    nowMs,
    known.seq,
  );
  if (fieldsText === known.fields) return;
  removeFields(tables, known);
  addFields(tables, known.seq, collection, fields);
}

function create(
  tables: OpenDatabase,
  collection: string,
  key: string,
  value: JsonObject,
  fields: Fields,
  nowMs: number,
): void {
  const seq = tables.insert(
    "INSERT INTO records (collection, key, value, fields, at) VALUES (?, ?, ?, ?, ?)",
    collection,
    key,
    JSON.stringify(value),
    JSON.stringify(fields),
    nowMs,
  );
  addFields(tables, seq, collection, fields);
}

function remove(tables: OpenDatabase, record: Written): void {
  removeFields(tables, record);
  tables.run("DELETE FROM records WHERE seq = ?", record.seq);
}

function addFields(tables: OpenDatabase, seq: number, collection: string, fields: Fields): void {
  const sql = "INSERT INTO record_fields (collection, name, value, seq) VALUES (?, ?, ?, ?)";
  for (const [name, value] of Object.entries(fields)) tables.run(sql, collection, name, value, seq);
}

function removeFields(tables: OpenDatabase, { collection, fields, seq }: Written): void {
  const sql =
    "DELETE FROM record_fields WHERE collection = ? AND name = ? AND value = ? AND seq = ?";
  for (const [name, value] of Object.entries(JSON.parse(fields) as Fields)) {
    tables.run(sql, collection, name, value, seq);
  }
}

const rowOf = ({ value, fields, ...row }: Written): RecordRow => ({
  ...row,
  value: JSON.parse(value) as JsonObject,
  fields: JSON.parse(fields) as Fields,
});
