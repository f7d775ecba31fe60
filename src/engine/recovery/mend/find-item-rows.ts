import { isRecord } from "../../../wire/json.ts";
import type { Row } from "../transcript.ts";
import { messagesOf } from "../transcript.ts";
import type { FileRow } from "./file-rows.ts";
import { isLink } from "./file-rows.ts";
import type { LoggedItem } from "./logged-turns.ts";

/** The rows that hold what has an id in our log, by their index. */
export interface Places {
  messages: ReadonlyMap<string, number>;
  calls: ReadonlyMap<string, number>;
  results: ReadonlyMap<string, number>;
}

/** The rows after `from` and before `end`. */
export interface Stretch {
  from: number;
  end: number;
}

export function placesIn(rows: readonly FileRow[]): Places {
  const messages = new Map<string, number>();
  const calls = new Map<string, number>();
  const results = new Map<string, number>();
  for (const [index, each] of rows.entries()) {
    for (const id of messagesOf(each.row)) messages.set(id, index);
    for (const { id, tool_use_id } of blocksOf(each)) {
      if (each.row.type === "assistant" && typeof id === "string") calls.set(id, index);
      if (typeof tool_use_id === "string") results.set(tool_use_id, index);
    }
  }
  return { messages, calls, results };
}

/** The rows from the item's first to its last; undefined when the item has none. Texts have no id: see `textPlaces`. */
export function rowsOfItem(
  item: Exclude<LoggedItem, { kind: "text" }>,
  { messages, calls, results }: Places,
): { first: number; last: number } | undefined {
  const indexes =
    item.kind === "message"
      ? [messages.get(item.message.id)]
      : [calls.get(item.request_id), results.get(item.request_id)];
  const found = indexes.filter((index) => index !== undefined);
  return found.length === 0 ? undefined : { first: Math.min(...found), last: Math.max(...found) };
}

/** The blocks of a row of the conversation. The CLI also keeps copies of its requests, in rows that are no links. */
export function blocksOf(each: FileRow): Record<string, unknown>[] {
  const { type, message }: Row = each.row;
  if (!isLink(each) || (type !== "user" && type !== "assistant")) return [];
  const content: unknown = message?.content;
  return Array.isArray(content) ? content.filter(isRecord) : [];
}

export const holdsResult = (each: FileRow): boolean =>
  blocksOf(each).some(({ tool_use_id }) => tool_use_id !== undefined);
