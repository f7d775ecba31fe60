import * as fc from "fast-check";
import { expect, test } from "vitest";
import { cliSupport } from "./cli-support.ts";
import { bundledVersion } from "./locate-cli.ts";

test.each([
  ["2.0.50", "too_old"],
  ["2.1.205", "too_old"],
  ["2.1.206", "untested"],
  ["2.1.324", "untested"],
  ["2.1.325", "proven"],
  ["2.1.327", "proven"],
  ["2.1.328", "untested"],
  ["2.2.0", "untested"],
  ["10.0.0", "untested"],
  ["", "unknown"],
  ["Claude Code", "unknown"],
] as const)("CLI version '%s' is %s", (version, kind) => {
  expect(cliSupport(version).kind).toBe(kind);
});

test("the CLI that comes with this package is proven", () => {
  expect(cliSupport(bundledVersion())).toMatchObject({ kind: "proven", awaitsInitialize: true });
});

test("a CLI waits for its first request from version 2.1.261 on", () => {
  const waits = ["2.1.260", "2.1.261", "2.1.1000", "3.0.0", ""].map(
    (version) => cliSupport(version).awaitsInitialize,
  );
  expect(waits).toEqual([false, true, true, true, false]);
});

test("a newer CLI can do everything that an older one can", () => {
  const small = fc.integer({ min: 1, max: 3 });
  const anyVersion = fc.tuple(small, small, fc.integer({ min: 0, max: 400 }));
  const property = fc.property(anyVersion, anyVersion, (a, b) => {
    const [older, newer] = [a, b]
      .toSorted((x, y) => x[0] - y[0] || x[1] - y[1] || x[2] - y[2])
      .map((parts) => cliSupport(parts.join(".")));
    const isRefusedLater = newer?.kind === "too_old" && older?.kind !== "too_old";
    const forgets = older?.awaitsInitialize === true && newer?.awaitsInitialize !== true;
    return !isRefusedLater && !forgets;
  });
  expect(fc.check(property).failed).toBe(false);
});
