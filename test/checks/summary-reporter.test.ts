import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { plant, project } from "./sapling.ts";

const passing =
  'import { it } from "vitest";\nit("passes", () => {});\nit("passes too", () => {});\n';
const config = (more = ""): string =>
  `export default { test: { reporters: ["default", ${JSON.stringify(join(project, "scripts/summary-reporter.ts"))}], ${more} } };\n`;

const runs: [kind: string, files: Record<string, string>, line: string, status: number][] = [
  ["a run that passes", { "a.test.ts": passing }, "2 passed, 0 failed", 0],
  [
    "a failed test",
    {
      "a.test.ts": passing,
      "b.test.ts": 'import { it } from "vitest";\nit("fails", () => { throw new Error("x"); });\n',
    },
    "2 passed, 1 failed",
    1,
  ],
  [
    "files that cannot be loaded",
    {
      "a.test.ts": passing,
      "b.test.ts": 'import "./nowhere.ts";\n',
      "c.test.ts": "const half =\n",
    },
    "2 passed, 2 failed",
    1,
  ],
  [
    "a file whose hook throws",
    {
      "a.test.ts": passing,
      "b.test.ts":
        'import { beforeAll, it } from "vitest";\nbeforeAll(() => { throw new Error("x"); });\nit("never runs", () => {});\n',
    },
    "2 passed, 1 failed",
    1,
  ],
  [
    "an error that no test caught",
    { "a.test.ts": `${passing}void Promise.reject(new Error("nobody waits"));\n` },
    "2 passed, 1 failed",
    1,
  ],
  [
    "a run that ends before its first test",
    {
      "a.test.ts": passing,
      "setup.ts": 'throw new Error("x");\n',
      "vitest.config.ts": config('globalSetup: ["./setup.ts"]'),
    },
    "0 passed, 1 failed",
    1,
  ],
  ["a run without tests", {}, "0 passed, 1 failed", 1],
];

it.each(runs)("counts %s", (_kind, files, line, status) => {
  const root = plant({ "vitest.config.ts": config(), ...files });
  const run = spawnSync(
    process.execPath,
    [join(project, "node_modules/vitest/vitest.mjs"), "run"],
    {
      cwd: root,
      encoding: "utf8",
    },
  );
  expect(run.stdout.split("\n")).toContain(line);
  expect(run.status).toBe(status);
});
