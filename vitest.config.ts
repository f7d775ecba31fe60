import { defineConfig } from "vitest/config";

// Two projects: unit tests run side by side in threads of their own; tests that start real
// processes share the machine's two cores, so they get one fork each and longer time-outs.
export default defineConfig({
  test: {
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
          name: "process",
          include: ["test/**/*.test.ts"],
          globalSetup: ["./test/support/build-once.ts"],
          pool: "forks",
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
