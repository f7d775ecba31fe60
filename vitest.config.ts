import { configDefaults, defineConfig } from "vitest/config";

// Kills of the host of a session without end. They found faults that are still open (docs/what-survives.md), so they do
// not judge every change yet: STORM=1 runs them.
const storms = ["test/e2e/session-storm.test.ts", "test/e2e/session-host-killed.test.ts"];

// Unit tests run side by side in threads of their own; tests that start real processes share the
// machine's two cores, so they get one fork each and longer time-outs. The checks are tested apart,
// because they judge the source and need no build.
export default defineConfig({
  test: {
    // Two at a time also where there are two cores: most of these tests wait for a process.
    maxWorkers: 2,
    reporters: ["default", "./scripts/summary-reporter.ts"],
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "scripts/**/*.test.ts"],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: "checks",
          include: ["test/checks/**/*.test.ts"],
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: "process",
          include: ["test/**/*.test.ts"],
          exclude: [
            ...configDefaults.exclude,
            "test/checks/**",
            ...(process.env["STORM"] === undefined ? storms : []),
          ],
          globalSetup: ["./test/support/build-once.ts"],
          pool: "forks",
          testTimeout: 120_000,
          hookTimeout: 60_000,
          // The default of one second is too short for a process that has to start first.
          expect: { poll: { timeout: 30_000 } },
        },
      },
    ],
  },
});
