import { randomUUID } from "node:crypto";
import { addAmounts } from "../add-amounts.ts";
import type { Write } from "../records.ts";
import type { Operation, StoreOutcome, RecordRow } from "../store.ts";
import type { MemoryDisk } from "./disk.ts";
import { pageOfRows } from "./pages.ts";

/** Works on a copy, which replaces the original when all writes have succeeded. */
export function writeAll(disk: MemoryDisk, writes: readonly Write[], nowMs: number): void {
  if (writes.length === 0) return;
  const records = new Map(disk.records);
  for (const each of structuredClone(writes)) {
    const { collection } = each;
    const key = each.kind === "append" ? randomUUID() : each.key;
    const known = records.get(nameOf(collection, key));
    if (each.kind === "remove") {
      records.delete(nameOf(collection, key));
      continue;
    }
    const value = each.kind === "add" ? addAmounts(known?.value ?? {}, each.amounts) : each.value;
    const fields = (each.kind === "add" ? known?.fields : each.fields) ?? {};
    const seq = known?.seq ?? disk.nextRecord();
    records.set(nameOf(collection, key), { seq, collection, key, value, fields, at: nowMs });
  }
  disk.records = records;
}

export function write(disk: MemoryDisk, ask: Operation<"write">): StoreOutcome<"write"> {
  const { writes, once, nowMs } = ask;
  if (once !== undefined && disk.onces.has(once)) return false;
  writeAll(disk, writes, nowMs);
  if (once !== undefined) disk.onces.add(once);
  return true;
}

export const recordGet = (
  disk: MemoryDisk,
  { collection, key }: Operation<"recordGet">,
): StoreOutcome<"recordGet"> => structuredClone(disk.records.get(nameOf(collection, key)));

export function recordQuery(
  disk: MemoryDisk,
  { query, page }: Operation<"recordQuery">,
): StoreOutcome<"recordQuery"> {
  const { collection, where, sinceMs = 0, untilMs = Infinity } = query;
  const fits = (row: RecordRow): boolean =>
    row.collection === collection &&
    row.at >= sinceMs &&
    row.at <= untilMs &&
    Object.entries(where).every(([name, value]) => row.fields[name] === value);
  return pageOfRows(structuredClone([...disk.records.values()].filter(fits)), page);
}

const nameOf = (collection: string, key: string): string => JSON.stringify([collection, key]);
