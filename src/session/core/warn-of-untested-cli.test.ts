import { expect, test } from "vitest";
import { untestedCli } from "./warn-of-untested-cli.ts";

test("a proven CLI has no notice at the start", () => {
  expect(untestedCli("2.1.326")).toEqual([]);
});

test.each([
  ["2.1.300", "Claude Code 2.1.300 is not proven.", 1],
  ["2.1.250", "Claude Code 2.1.250 is not proven.", 2],
  ["", "Claude Code does not report its version", 2],
])("CLI '%s' is reported with what is off", (version, words, off) => {
  const [notice, ...others] = untestedCli(version);
  expect(others).toEqual([]);
  expect(notice?.message).toContain(words);
  expect(notice?.data.off).toHaveLength(off);
});
