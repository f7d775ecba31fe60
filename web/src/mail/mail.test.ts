import type { CommunicationEntry } from "agent-switchboard/team/core";
import { expect, test } from "vitest";
import { csvOf, jsonOf } from "./export.ts";
import { newestFirst, nextSorting, sortEntries } from "./sort-entries.ts";

const entry = (id: string, more: Partial<CommunicationEntry> = {}): CommunicationEntry => ({
  id,
  level: "INFO",
  message_id: id,
  timestamp: "2026-11-18T10:00:00.000Z",
  from_agent: "a",
  to_agent: "b",
  message_type: "info",
  message_size: 10,
  duration_ms: 5,
  success: true,
  error: null,
  ...more,
});
const ids = (entries: readonly CommunicationEntry[]) => entries.map(({ id }) => id);

test("a file for spreadsheets has guarded cells", () => {
  const error = '=1+1, "quoted"\nline';
  const text = csvOf([entry("1", { success: false, error, duration_ms: null })]);
  expect(text).toBe(
    "message_id,timestamp,from_agent,to_agent,message_type,message_size,duration_ms,success,error\r\n" +
      `1,2026-11-18T10:00:00.000Z,a,b,info,10,,false,"'=1+1, ""quoted""\nline"\r\n`,
  );
  expect(JSON.parse(jsonOf([entry("1")]))).toEqual([entry("1")]);
});

test("entries go by any column, both ways; one that was never delivered took least", () => {
  const all = [entry("1", { duration_ms: 9 }), entry("2", { duration_ms: null }), entry("3")];
  expect(ids(sortEntries(all, { key: "took", isDescending: true }))).toEqual(["1", "3", "2"]);
  expect(ids(sortEntries(all, { key: "took", isDescending: false }))).toEqual(["2", "3", "1"]);
  expect(ids(sortEntries(all, { key: "from", isDescending: true }))).toEqual(["1", "2", "3"]);
});

test("a press on a head turns the order round, or begins another", () => {
  expect(nextSorting(newestFirst, "time")).toEqual({ key: "time", isDescending: false });
  expect(nextSorting(newestFirst, "took")).toEqual({ key: "took", isDescending: true });
  expect(nextSorting(newestFirst, "from")).toEqual({ key: "from", isDescending: false });
});
