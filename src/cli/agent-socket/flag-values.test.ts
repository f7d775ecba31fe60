import { expect, it } from "vitest";
import { amount, count, segmentBytes, toolList } from "./flag-values.ts";

it("splits rules at commas, but not inside their parentheses", () => {
  expect(toolList("Bash(git add:*,git rm:*), Read,", ["Edit"])).toEqual([
    "Edit",
    "Bash(git add:*,git rm:*)",
    "Read",
  ]);
});

it.each(["-1", "1.5", "", "1e3", "ten"])("refuses %j as a whole number", (text) => {
  expect(() => count(text)).toThrow("Expected a whole number.");
});

it.each(["0", "-1", "", " ", "Infinity", "ten"])("refuses %j as an amount", (text) => {
  expect(() => amount(text)).toThrow("Expected a number above 0.");
});

it("refuses a segment size so small that the log would rotate all the time", () => {
  expect(segmentBytes("65536")).toBe(65_536);
  expect(() => segmentBytes("65535")).toThrow("Expected at least 65536.");
});

it("reads numbers", () => {
  expect([count("300000"), count("0"), amount("0.5")]).toEqual([300_000, 0, 0.5]);
});
