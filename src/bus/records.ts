import type { JsonObject } from "../wire/json.ts";

/**
 * What the owner of a bus keeps beside its messages: tasks, counters, a log. A record is a JSON object
 * with a key in a collection. Fields are what it can be found by.
 */
export interface StoredRecord {
  collection: string;
  key: string;
  value: JsonObject;
  fields: Fields;
  /** When it was written last, in milliseconds since 1970. */
  at: number;
}

export type Fields = Record<string, string>;

export type Write =
  /** Creates or replaces. A record that is replaced keeps its place in queries. */
  | { kind: "put"; collection: string; key: string; value: JsonObject; fields?: Fields }
  /** Creates under a key of its own. */
  | { kind: "append"; collection: string; value: JsonObject; fields?: Fields }
  /** Adds to numbers of the record, which begin at 0; what else is in it stays. */
  | { kind: "add"; collection: string; key: string; amounts: Record<string, number> }
  | { kind: "remove"; collection: string; key: string };

export interface RecordQuery {
  collection: string;
  /** Records that have all of these fields with these values. */
  where?: Fields;
  /** Written last at this time or later, in milliseconds since 1970. */
  since?: number;
  until?: number;
  /** By place: the order in which records were created. */
  order?: "oldest" | "newest";
  limit?: number;
  cursor?: string;
}

export interface Page<Item> {
  items: Item[];
  /** For the next page; absent when there is nothing more now. */
  cursor?: string;
}

export interface Records {
  get(collection: string, key: string): Promise<StoredRecord | undefined>;
  query(query: RecordQuery): Promise<Page<StoredRecord>>;
  /**
   * All or nothing, and durable when it resolves. With `once`, for ever at most once under that name:
   * a repetition changes nothing and gives `applied: false`.
   */
  write(writes: readonly Write[], options?: { once?: string }): Promise<{ applied: boolean }>;
}
