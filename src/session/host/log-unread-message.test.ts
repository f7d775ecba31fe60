import { pino } from "pino";
import { expect, test } from "vitest";
import { logUnreadMessage } from "./log-unread-message.ts";

/** What stands in a log of this level. */
function lines(level: string): unknown[] {
  const told: unknown[] = [];
  const write = (line: string): void => void told.push(JSON.parse(line));
  const logger = pino({ level, base: null, timestamp: false }, { write });
  const message = { type: "system", words: "private" };
  logUnreadMessage({ type: "debug", sdk_type: "system", message, problem: "no subtype" }, logger);
  logUnreadMessage({ type: "debug", sdk_type: "brand_new", message }, logger);
  return told;
}

test("logUnreadMessage warns of what could not be read, and logs its contents at debug only", () => {
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
