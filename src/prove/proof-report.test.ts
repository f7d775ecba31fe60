import { expect, test } from "vitest";
import { provenRange } from "../engine/cli-support.ts";
import type { CaseReport } from "./proof-report.ts";
import { makeReport, reportCase } from "./proof-report.ts";

const listed = { path: "/claude", version: provenRange.last, kind: "proven", off: [] } as const;
const other = { path: "/claude", version: "9.9.9", kind: "untested", off: ["X is off."] } as const;

const outcomes = (...all: CaseReport["outcome"][]): CaseReport[] =>
  all.map((outcome, index) => ({
    name: `case-${index}`,
    title: "x",
    outcome,
    faults: [],
    duration_ms: 1,
  }));

test("a version is proven when every case was run and passed", () => {
  expect(makeReport(listed, outcomes("passed", "passed"), false, 9)).toMatchObject({
    proven: true,
    passed: 2,
    advice: expect.stringContaining("Every case passed."),
  });
  expect(makeReport(listed, outcomes("passed"), true, 9).proven).toBe(false);
  for (const outcome of ["failed", "off", "not_run"] as const) {
    expect(makeReport(listed, outcomes("passed", outcome), false, 9).proven).toBe(false);
  }
});

test("a version that is not listed and passes every case should be listed, and the report has the line", () => {
  const { advice } = makeReport(other, outcomes("passed"), false, 9);
  expect(advice).toContain("9.9.9 is not in the range of proven versions");
  expect(advice).toContain("X is off.");
  expect(advice).toContain("widen provenRange in src/engine/cli-support.ts to 9.9.9");
});

test("a selection of cases, or one that is off, lists no version", () => {
  expect(makeReport(other, outcomes("passed"), true, 9).advice).not.toContain("widen");
  expect(makeReport(other, outcomes("passed", "off"), false, 9).advice).not.toContain("widen");
});

test("a listed version that fails should become an exception", () => {
  const { advice } = makeReport(listed, outcomes("passed", "failed"), false, 9);
  expect(advice).toContain(`put ${listed.version} into its exceptions`);
});

test("a fault in what only proven versions do fails a listed version, and is off on another", () => {
  const proofCase = { name: "x", title: "X", offUnlessProven: "It is asked anew." };
  expect(reportCase(proofCase, listed, ["fault"], 1)).toMatchObject({
    outcome: "failed",
    faults: ["fault"],
  });
  expect(reportCase(proofCase, other, ["fault"], 1)).toMatchObject({
    outcome: "off",
    faults: ["It is asked anew.", "fault"],
  });
  expect(reportCase(proofCase, other, [], 1).outcome).toBe("passed");
  expect(reportCase({ name: "x", title: "X" }, other, ["fault"], 1).outcome).toBe("failed");
});
