import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { plant, project } from "./sapling.ts";

const readme = (command: string): string =>
  `# X\n\n\`\`\`sh\nnpm start\n\`\`\`\n\n<!-- the test command -->\n\n\`\`\`sh\n${command}\n\`\`\`\n`;

const runs: [kind: string, readme: string, lastLine: string, status: number][] = [
  [
    "a run that passes",
    readme("printf '3 passed, 0 failed\\n'; echo done"),
    "3 passed, 0 failed",
    0,
  ],
  ["failed tests", readme("printf '3 passed, 2 failed\\n'; exit 1"), "3 passed, 2 failed", 1],
  ["a check that fails before the tests", readme("echo ✗ lint; exit 1"), "0 passed, 1 failed", 1],
  [
    "a failure that no test knows of",
    readme("echo 3 passed, 0 failed; exit 3"),
    "3 passed, 1 failed",
    1,
  ],
  ["a run that ended without a count", readme("echo all is well"), "0 passed, 1 failed", 1],
  ["a run without tests", readme("echo 0 passed, 0 failed"), "0 passed, 1 failed", 1],
];

it.each(runs)("ends with the right line and code after %s", (_kind, text, lastLine, status) => {
  const run = runCi(text);
  expect(run.stdout.trimEnd().split("\n").at(-1)).toBe(lastLine);
  expect(run.status).toBe(status);
});

it("prints the flaky tests again before its last line", () => {
  const flaky = "flaky: a.test.ts: wavers";
  const { stdout, status } = runCi(readme(`echo '${flaky}'; echo 3 passed, 0 failed; echo more`));
  expect(stdout).toMatch(new RegExp(`${flaky}\n\n3 passed, 0 failed\n$`));
  expect(status).toBe(0);
});

it("requires the tests that fill a small disk where it may mount one, and repeats what was skipped", () => {
  const skipped = "SKIPPED: a.test.ts: wants a disk (no disk here)";
  const said = `echo '${skipped}'; echo "required: $SMALL_DISK_REQUIRED"; echo 3 passed, 0 failed; echo more`;
  const { stdout } = runCi(readme(said), [], { SMALL_DISK_REQUIRED: "" });
  const mayMount = process.getuid?.() === 0 && hasRightToMount();
  expect(stdout).toMatch(mayMount ? /^required: 1$/m : /^required: $/m);
  expect(stdout).toMatch(
    /more\nSKIPPED: a\.test\.ts: wants a disk \(no disk here\)\n\n3 passed, 0 failed\n$/,
  );
});

/** CAP_SYS_ADMIN of this process. */
function hasRightToMount(): boolean {
  const [, rights = "0"] =
    /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return ((BigInt(`0x${rights}`) >> 21n) & 1n) === 1n;
}

it("ends a run that hangs, with what it left in the background, and says so", () => {
  const { stdout, status } = runCi(readme("sleep 1000 & sleep 1000"), [], {
    CI_LIMIT_SECONDS: "1",
  });
  expect(stdout).toMatch(/did not end within 1 seconds[^]*\n0 passed, 1 failed\n$/);
  expect(status).toBe(1);
});

it("says so when the README names no command", () => {
  const { stdout, status } = runCi("# X\n");
  expect(stdout).toBe("README.md does not say how to run the tests.\n\n0 passed, 1 failed\n");
  expect(status).toBe(1);
});

it("installs what is missing before it runs the tests", () => {
  const { stdout, status } = runCi(readme("echo 1 passed, 0 failed"), ["apt-get", "npm", "sudo"], {
    CI_FONTS: "/nowhere",
  });
  const calls = stdout.split("\n").filter((line) => line.startsWith("apt-get"));
  expect(calls).toEqual([
    "apt-get update -q",
    `apt-get install -y -q --no-install-recommends ${neededPackages().join(" ")}`,
  ]);
  expect(status).toBe(0);
});

it("is given the two promised commands by the README", () => {
  const text = readFileSync(join(project, "README.md"), "utf8");
  expect(text).toMatch(/^npm ci && npm start$/m);
  expect(text).toMatch(/<!-- the test command -->\n\n```sh\nnpm ci && npm test\n```/);
});

it("installs what the README and CONTRIBUTING name", () => {
  const [, packages, programs] =
    /^apt-get install (.+?) +# for (.+)$/m.exec(readFileSync(join(project, "README.md"), "utf8")) ??
    [];
  expect(packages?.split(" ")).toEqual(neededPackages());
  expect(programs?.split(/, | and /).toSorted()).toEqual(neededPrograms().toSorted());
  const contributing = readFileSync(join(project, "CONTRIBUTING.md"), "utf8");
  const [, named = ""] =
    /^The tests need some Debian packages: (.+)\. The README$/m.exec(contributing) ?? [];
  expect(named.match(/(?<=`)[a-z0-9-]+(?=`)/g)).toEqual(neededPackages());
});

const neededPackages = (): string[] => [
  ...needs().map(([, holder]) => holder),
  // A font is no program.
  "fonts-noto-cjk",
];
const neededPrograms = (): string[] => needs().map(([program]) => program);

/** As the script lists them: `program:package`. */
function needs(): [program: string, holder: string][] {
  const script = readFileSync(join(project, ".ci/run"), "utf8");
  const [, list = ""] = /^needs=\((.*)\)$/m.exec(script) ?? [];
  expect(list).toContain("ps:procps");
  return list.split(" ").map((need) => {
    const [program = "", holder = ""] = need.split(":");
    return [program, holder];
  });
}

/** With `stubs`, on a machine that has the shell's usual tools, and these commands that only say their name. */
function runCi(readmeText: string, stubs: string[] = [], more: NodeJS.ProcessEnv = {}) {
  const root = plant({ "README.md": readmeText });
  cpSync(join(project, ".ci"), join(root, ".ci"), { recursive: true });
  const env = { ...process.env, ...more };
  if (stubs.length === 0) return spawnSync(join(root, ".ci/run"), { encoding: "utf8", env });
  const bin = join(root, "bin");
  mkdirSync(bin);
  for (const tool of [
    "awk",
    "bash",
    "dirname",
    "env",
    "grep",
    "id",
    "mktemp",
    "rm",
    "tail",
    "tee",
    "timeout",
  ]) {
    symlinkSync(execFileSync("which", [tool], { encoding: "utf8" }).trim(), join(bin, tool));
  }
  for (const stub of stubs) {
    const words = stub === "sudo" ? 'exec "$@"' : `echo ${stub} "$@"`;
    writeFileSync(join(bin, stub), `#!/usr/bin/env bash\n${words}\n`, { mode: 0o755 });
  }
  return spawnSync(join(root, ".ci/run"), { encoding: "utf8", env: { ...more, PATH: bin } });
}
