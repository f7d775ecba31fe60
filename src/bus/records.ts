import type { JsonObject } from "../wire/json.ts";

/**
 * What the owner of a bus stores beside its messages: tasks, counters, a log. A record is a JSON object with a key in
 * a collection. Queries use its fields.
 */
export interface StoredRecord {
  collection: string;
  key: string;
  value: JsonObject;
  fields: Fields;
  /** When it was last written, in milliseconds since 1970. */
  at: number;
}

export type Fields = Record<string, string>;

export type Write =
  /** Creates or replaces. A replaced record keeps its place in queries. */
  | { kind: "put"; collection: string; key: string; value: JsonObject; fields?: Fields }
  /** Creates under a generated key. */
  | { kind: "append"; collection: string; value: JsonObject; fields?: Fields }
  /** Adds to numbers of the record, which start at 0; other fields stay. */
  | { kind: "add"; collection: string; key: string; amounts: Record<string, number> }
  | { kind: "remove"; collection: string; key: string };

export interface RecordQuery {
  collection: string;
  /** Records that have all of these fields with these values. */
  where?: Fields;
  /** Last written at this time or later, in milliseconds since 1970. */
  since?: number;
  until?: number;
  /** By place: the order in which records were created. */
  order?: "oldest" | "newest";
  limit?: number;
  cursor?: string;
}

export interface Page<Item> {
  items: Item[];
  /** For the next page; absent on the last one. */
  cursor?: string;
}

export interface Records {
  get(collection: string, key: string): Promise<StoredRecord | undefined>;
  query(query: RecordQuery): Promise<Page<StoredRecord>>;
  /**
   * All or nothing, and durable when it resolves. With `once`, at most once for ever under that name: a repetition
   * changes nothing and returns `applied: false`.
   */
  write(writes: readonly Write[], options?: { once?: string }): Promise<{ applied: boolean }>;
}
