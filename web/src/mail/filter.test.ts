import { expect, test } from "vitest";
import { bucketOf, logParams, noFilter, statsParams, timesOf } from "./filter.ts";

const NOW = Date.parse("2026-11-18T12:34:56.789Z");

test("what a person left empty is not asked about", () => {
  expect(logParams({ ...noFilter, span: "all" }, NOW)).toEqual({ level: "INFO" });
  const full = { from: "a", to: "b", type: "error", text: " lost ", span: "all" } as const;
  expect(logParams({ ...noFilter, ...full }, NOW)).toEqual({
    level: "INFO",
    from: "a",
    to: "b",
    type: "error",
    text: "lost",
  });
  expect(logParams({ ...noFilter, span: "all", from: "a b" }, NOW)).toEqual({ level: "INFO" });
});

test("a span begins at a whole minute; one's own has what was typed, in UTC", () => {
  expect(timesOf({ ...noFilter, span: "hour" }, NOW)).toEqual({
    since: "2026-11-18T11:34:00.000Z",
  });
  const since = "2026-11-18T01:02";
  expect(timesOf({ span: "own", since, until: "" }, NOW)).toEqual({
    since: new Date(2026, 10, 18, 1, 2).toISOString(),
  });
  expect(timesOf({ span: "own", since: "soon", until: "" }, NOW)).toEqual({});
});

test("figures are asked for without words, in at most sixty buckets", () => {
  const params = statsParams({ ...noFilter, text: "lost" }, NOW);
  expect(params).toEqual({
    level: "INFO",
    since: "2026-11-17T12:34:00.000Z",
    bucket_ms: 3_600_000,
  });
  for (const hours of [1, 24, 168, 720]) {
    expect((hours * 3_600_000) / bucketOf(hours * 3_600_000)).toBeLessThanOrEqual(60);
  }
});
