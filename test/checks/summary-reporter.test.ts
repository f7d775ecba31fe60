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

/** Tests that fail at their first try and pass at their second. */
const flakyTests = (count: number): string =>
  `import { expect, it } from "vitest";\n` +
  `for (let n = 0; n < ${count}; n += 1) {\n` +
  `  let tries = 0;\n  it(\`wavers \${n}\`, { retry: 1 }, () => expect(++tries).toBe(2));\n}\n`;

it.each([
  { flaky: 5, line: "5 passed, 0 failed", status: 0 },
  { flaky: 6, line: "6 passed, 1 failed", status: 1 },
])("names $flaky flaky tests and ends with code $status", ({ flaky, line, status }) => {
  const { lines, code } = run({ "a.test.ts": flakyTests(flaky) });
  expect(lines.filter((each) => each.startsWith("flaky: "))).toEqual(
    Array.from({ length: flaky }, (_, n) => `flaky: a.test.ts: wavers ${n}`),
  );
  expect(lines).toContain(`${flaky} flaky: failed first, passed when run again`);
  expect(lines).toContain(line);
  expect(code).toBe(status);
});

it("names what was skipped as it ran, and why, so that a machine that lacks something cannot hide it", () => {
  const { lines, code } = run({
    "a.test.ts":
      'import { it } from "vitest";\nit("passes", () => {});\nit("wants a disk", ({ skip }) => skip("no disk here"));\nit.skip("is put off", () => {});\n',
  });
  expect(lines.filter((each) => each.startsWith("SKIPPED"))).toEqual([
    "SKIPPED: a.test.ts: wants a disk (no disk here)",
  ]);
  expect(lines).toContain("2 skipped");
  expect(lines).toContain("1 passed, 0 failed");
  expect(code).toBe(0);
});

it("calls nothing flaky that failed both times", () => {
  const { lines } = run({
    "a.test.ts":
      'import { it } from "vitest";\nit("fails", { retry: 1 }, () => { throw new Error("x"); });\n',
  });
  expect(lines.filter((each) => each.includes("flaky"))).toEqual([]);
  expect(lines).toContain("0 passed, 1 failed");
});

it.each(runs)("counts %s", (_kind, files, line, status) => {
  const { lines, code } = run(files);
  expect(lines).toContain(line);
  expect(code).toBe(status);
});

function run(files: Record<string, string>): { lines: string[]; code: number | null } {
  const root = plant({ "vitest.config.ts": config(), ...files });
  const vitest = join(project, "node_modules/vitest/vitest.mjs");
  const { stdout, status } = spawnSync(process.execPath, [vitest, "run"], {
    cwd: root,
    encoding: "utf8",
  });
  return { lines: stdout.split("\n"), code: status };
}
