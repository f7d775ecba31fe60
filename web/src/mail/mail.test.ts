import type { CommunicationEntry } from "agent-switchboard/team/core";
import { expect, test } from "vitest";
import { exportPath } from "./export.ts";
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

test("a file is asked for with the same filter as the lines", () => {
  const params = {
    level: "WARN",
    from: "a",
    text: "a & b",
    since: "2026-11-18T10:00:00.000Z",
  } as const;
  const url = new URL(exportPath("csv", params), "http://127.0.0.1");
  expect(url.pathname).toBe("/api/export/log.csv");
  expect(Object.fromEntries(url.searchParams)).toEqual(params);
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
