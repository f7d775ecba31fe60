import { pino } from "pino";
import { expect, test } from "vitest";
import { logUnread } from "./log-unread.ts";

/** What stands in a log of this level. */
function lines(level: string): unknown[] {
  const told: unknown[] = [];
  const write = (line: string): void => void told.push(JSON.parse(line));
  const logger = pino({ level, base: null, timestamp: false }, { write });
  const message = { type: "system", words: "private" };
  logUnread({ type: "debug", sdk_type: "system", message, problem: "no subtype" }, logger);
  logUnread({ type: "debug", sdk_type: "brand_new", message }, logger);
  return told;
}

test("what could not be read is a warning, and its words are for those who ask for them", () => {
  expect(lines("info")).toEqual([
    expect.objectContaining({ level: 40, sdk_type: "system", problem: "no subtype" }),
  ]);
  expect(JSON.stringify(lines("info"))).not.toContain("private");
  expect(lines("debug")).toMatchObject([
    { level: 40 },
    { level: 20, sdk_type: "system", message: { words: "private" } },
    { level: 20, sdk_type: "brand_new", message: { words: "private" } },
  ]);
});
