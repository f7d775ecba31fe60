import type { Reporter, TestModule, TestRunEndReason } from "vitest/node";

/** Ends a run with the one plain line that people and CI look for. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(
    modules: readonly TestModule[],
    unhandledErrors: readonly unknown[],
    reason: TestRunEndReason,
  ): void {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      const states = [...module.children.allTests()].map((test) => test.result().state);
      for (const state of states) count[state] += 1;
      // A file that could not be loaded, or whose hook threw, has no failed test of its own to count.
      if (module.state() === "failed" && !states.includes("failed")) count.failed += 1;
    }
    const skipped = count.skipped + count.pending;
    if (skipped > 0) process.stdout.write(`\n${skipped} skipped`);
    // A run that ended before its first test has failed all the same.
    if (reason !== "passed" || modules.length === 0) count.failed ||= 1;
    process.stdout.write(`\n${count.passed} passed, ${count.failed} failed\n`);
  }
}
