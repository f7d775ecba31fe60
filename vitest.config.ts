import { resolve } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { LongestFirst } from "./scripts/longest-first.ts";
import { pageAliases, pageJsx } from "./web/page-build.ts";

// The tests start hundreds of processes: Node keeps what it has compiled for one, for the next.
process.env["NODE_COMPILE_CACHE"] ??= resolve(import.meta.dirname, "node_modules/.cache/compiled");

/**
 * In CI a test that starts real processes, or runs a whole team, may fail once: it runs again, and the summary names it
 * as flaky.
 */
const retry = process.env["CI"] === "true" ? 1 : 0;

// Every test file runs in a process of its own. The unit tests, those of the team and those of the checks need no
// build; the others start the built program.
export default defineConfig({
  test: {
    // Three at a time also where there are two cores: most of these tests wait for a process.
    maxWorkers: 3,
    pool: "forks",
    sequence: { sequencer: LongestFirst },
    reporters: ["default", "./scripts/summary-reporter.ts"],
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "scripts/**/*.test.ts"],
          exclude: [...configDefaults.exclude, "src/team/**"],
          testTimeout: 120_000,
          expect: { poll: { timeout: 30_000 } },
        },
      },
      {
        test: {
          name: "team",
          include: ["src/team/**/*.test.ts"],
          retry,
          testTimeout: 120_000,
          expect: { poll: { timeout: 30_000 } },
        },
      },
      {
        resolve: { alias: pageAliases },
        oxc: { jsx: pageJsx },
        test: {
          name: "page",
          include: ["web/src/**/*.test.{ts,tsx}"],
          testTimeout: 60_000,
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
          // The page in Debian's Chromium, with a real gateway and a real team behind it.
          name: "browser",
          include: ["test/browser/**/*.test.ts"],
          globalSetup: ["./test/support/build-once.ts"],
          retry,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 30_000 } },
        },
      },
      {
        test: {
          name: "process",
          include: ["test/**/*.test.ts"],
          exclude: [...configDefaults.exclude, "test/checks/**", "test/browser/**"],
          globalSetup: ["./test/support/build-once.ts", "./test/support/nats/get-server-once.ts"],
          retry,
          testTimeout: 120_000,
          hookTimeout: 60_000,
          // The default of one second is too short for a process that has to start first.
          expect: { poll: { timeout: 30_000 } },
        },
      },
    ],
  },
});
