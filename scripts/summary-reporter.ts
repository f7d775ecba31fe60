import type { Reporter, TestCase, TestModule, TestRunEndReason } from "vitest/node";

/** A run with more flaky tests than this has failed: something is wrong that a second try hides. */
const MAX_FLAKY = 5;

/** Ends a run with the list of flaky tests, and the one plain line that people and CI look for. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(
    modules: readonly TestModule[],
    unhandledErrors: readonly unknown[],
    reason: TestRunEndReason,
  ): void {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0, pending: 0 };
    const flaky: string[] = [];
    const skips: string[] = [];
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      const states = tests.map((test) => test.result().state);
      for (const state of states) count[state] += 1;
      flaky.push(...tests.filter((test) => test.diagnostic()?.flaky).map(nameOf));
      skips.push(...tests.flatMap(skippedWithReason));
      // A file that could not be loaded, or whose hook threw, has no failed test of its own to count.
      if (module.state() === "failed" && !states.includes("failed")) count.failed += 1;
    }
    const skipped = count.skipped + count.pending;
    if (skipped > 0) process.stdout.write(`\n${[...skips, `${skipped} skipped`].join("\n")}`);
    // A run that ended before its first test has failed all the same.
    if (reason !== "passed" || modules.length === 0) count.failed ||= 1;
    count.failed += reportFlaky(flaky);
    process.stdout.write(`\n${count.passed} passed, ${count.failed} failed\n`);
  }
}

const nameOf = (test: TestCase): string => `${test.module.relativeModuleId}: ${test.fullName}`;

/** A test that found, as it ran, that this machine lacks something. */
function skippedWithReason(test: TestCase): string[] {
  const result = test.result();
  if (result.state !== "skipped" || result.note === undefined) return [];
  return [`SKIPPED: ${nameOf(test)} (${result.note})`];
}

/** Returns how many failures the flaky tests add to the run: one when there are too many. */
function reportFlaky(names: readonly string[]): number {
  if (names.length === 0) return 0;
  const list = names.map((name) => `flaky: ${name}`).join("\n");
  process.stdout.write(`\n${list}\n${names.length} flaky: failed first, passed when run again\n`);
  if (names.length <= MAX_FLAKY) return 0;
  process.stdout.write(`More than ${MAX_FLAKY} flaky tests fail the run.\n`);
  process.exitCode = 1;
  return 1;
}
