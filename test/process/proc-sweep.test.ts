import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, expect, test } from "vitest";
import { sweepScript } from "../../src/proc/sweep-script.ts";
import { sweepTree } from "../../src/proc/sweep-processes.ts";
import { processId } from "../../src/proc/process-identity.ts";
import { treeVariable } from "../../src/proc/tree-mark.ts";
import type { Running } from "./fixtures/proc-list.ts";
import { describe, isRunning, processesWith, until } from "./fixtures/proc-list.ts";
import { newTestMark, startProcess } from "./fixtures/proc-start-process.ts";

const noSession = "0-0";

/** So many are what they are to become: a process that was just forked still looks like its parent. */
const haveStarted =
  (count: number) =>
  (found: Running[]): boolean =>
    found.filter(({ command }) => command.startsWith("sleep ")).length === count;

const haveLostTheirLeader = ([leads, found]: readonly [boolean, Running[]]): boolean =>
  !leads && haveStarted(2)(found);

test("a marked process is ended, in the middle of a chain of marks too", async () => {
  const mark = newTestMark();
  await startProcess({ [treeVariable]: mark });
  await startProcess({ [treeVariable]: `1-2-3/0-1,${mark}` });
  await startProcess({ [treeVariable]: `${mark},1-2-3/0-1` });
  expect(await sweepTree({ mark, session: noSession })).toBe(3);
  expect(await sweepTree({ mark, session: noSession })).toBe(0);
});

test("a process that only mentions the mark lives on", async () => {
  const mark = newTestMark();
  const mention = `${treeVariable}=${mark}`;
  const others = await Promise.all([
    startProcess({}, `sleep TOKEN; : ${mention}`),
    startProcess({ NOTE: mention }),
    startProcess({ NOTE: `two lines\n${mention}` }),
    startProcess({ [`MY_${treeVariable}`]: mark }),
    startProcess({ [treeVariable]: `${mark}0` }),
    startProcess({ [treeVariable]: `9${mark}` }),
  ]);
  expect(await sweepTree({ mark, session: noSession })).toBe(0);
  expect(others.filter(({ pid }) => !isRunning(pid))).toEqual([]);
});

test("without a mark and with an unknown session nothing is ended", async () => {
  const { pid } = await startProcess({ [treeVariable]: newTestMark() });
  expect(await sweepTree({ session: noSession })).toBe(0);
  expect(isRunning(pid)).toBe(true);
});

test("a known session is ended without any mark", async () => {
  const { pid, token } = await startProcess({}, "sleep TOKEN & sleep TOKEN & wait");
  await until(
    () => processesWith(token),
    (found) => found.length === 3,
  );
  expect(await sweepTree({ session: processId(pid) })).toBe(3);
});

test("a session whose leader's pid is another process by now is spared", async () => {
  const { pid } = await startProcess({});
  expect(await sweepTree({ session: `${pid}-1` })).toBe(0);
  expect(isRunning(pid)).toBe(true);
});

test("an unrelated session is not taken for ours because a marked process is in it", async () => {
  const mark = newTestMark();
  const { pid, token } = await startProcess(
    {},
    `${treeVariable}=${mark} sleep TOKEN & sleep TOKEN & wait`,
  );
  await until(() => processesWith(token), haveStarted(2));
  expect(await sweepTree({ mark, session: noSession })).toBe(1);
  expect(isRunning(pid)).toBe(true);
  expect(processesWith(token)).toHaveLength(2);
});

test("the session of a marked leader that has ended is ours", async () => {
  const mark = newTestMark();
  const { token } = await startProcess(
    { [treeVariable]: mark },
    "env -i sleep TOKEN & sleep TOKEN & exit",
  );
  await until(
    () => processesWith(token),
    (found) => found.length === 2,
  );
  expect(await sweepTree({ mark, session: noSession })).toBe(2);
});

test("in the host's own session only marked processes are ended", async () => {
  const mark = newTestMark();
  const { pid, token } = await startProcess(
    {},
    `${treeVariable}=${mark} sleep TOKEN & sleep TOKEN9 & exit`,
  );
  await until(() => [isRunning(pid), processesWith(token)] as const, haveLostTheirLeader);
  execFileSync("sh", ["-s", "--", "switchboard-sweep", `${mark}(,|$)`, "", `${pid}`], {
    input: sweepScript,
  });
  expect(processesWith(token).map(({ command }) => command)).toEqual([`sleep ${token}9 `]);
});

test("the session of a marked leader that is a zombie is ours", async () => {
  const mark = newTestMark();
  const leader = `env -i sleep TOKEN & ${treeVariable}=${mark} sleep TOKEN & exit`;
  // The shell becomes a program that does not wait for its child.
  const { pid, token } = await startProcess({}, `setsid sh -c '${leader}' & exec sleep TOKEN9`);
  await until(
    () => processesWith(token),
    (found) => found.length === 3 && haveStarted(3)(found),
  );
  expect(await sweepTree({ mark, session: noSession })).toBe(2);
  expect(isRunning(pid)).toBe(true);
});

test("a sweep never ends the processes that started it", async () => {
  const mark = newTestMark();
  const { pid, token } = await startProcess(
    { [treeVariable]: mark, SCRIPT: sweepScript, MARK: mark },
    `sleep TOKEN & printf %s "$SCRIPT" | sh -s -- switchboard-sweep "$MARK" ""; exec sleep TOKEN9`,
  );
  await until(
    () => describe(pid)?.command,
    (command) => command === `sleep ${token}9 `,
  );
  expect(processesWith(token)).toHaveLength(1);
});

test("a script does not go on to its next command because the current one was ended", async () => {
  const mark = newTestMark();
  const directory = mkdtempSync(join(tmpdir(), "proc-sweep-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const script = `sleep TOKEN; touch '${directory}/went-on-'$$`;
  for (let count = 0; count < 10; count += 1) await startProcess({ [treeVariable]: mark }, script);
  expect(await sweepTree({ mark, session: noSession })).toBe(20);
  expect(readdirSync(directory)).toEqual([]);
});

test.runIf(process.getuid?.() === 0)("a process of another user is spared", async () => {
  const mark = newTestMark();
  const { token } = await startProcess(
    { [treeVariable]: mark },
    "setpriv --reuid 65534 --clear-groups sleep TOKEN & sleep TOKEN & wait",
  );
  await until(() => processesWith(token), haveStarted(2));
  expect(await sweepTree({ mark, session: noSession })).toBe(2);
  expect(processesWith(token).map(({ command }) => command)).toEqual([`sleep ${token} `]);
});

test("a stopped process and one that ignores signals are ended", async () => {
  const mark = newTestMark();
  const { pid } = await startProcess({ [treeVariable]: mark });
  await startProcess({ [treeVariable]: mark }, "trap '' TERM INT HUP; sleep TOKEN; :");
  process.kill(pid, "SIGSTOP");
  expect(await sweepTree({ mark, session: noSession })).toBe(3);
});

test("sweep ends a process whose name looks like the end of a stat line, and no other", async () => {
  const mark = newTestMark();
  const bystander = await startProcess({});
  const directory = mkdtempSync(join(tmpdir(), "proc-sweep-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const odd = join(directory, ") Z 1 1 1 (");
  execFileSync("cp", [execFileSync("which", ["sleep"], { encoding: "utf8" }).trim(), odd]);
  await startProcess({ [treeVariable]: mark }, `sleep TOKEN & exec '${odd}' TOKEN`);
  expect(await sweepTree({ mark, session: noSession })).toBe(2);
  expect(isRunning(bystander.pid)).toBe(true);
});

test("processes that fork all the time are ended", async () => {
  const mark = newTestMark();
  const { token } = await startProcess(
    { [treeVariable]: mark },
    "sleep TOKEN & while :; do (setsid sh -c 'sleep 0.05; : TOKEN' &); sleep 0.01; done",
  );
  await sweepTree({ mark, session: noSession });
  expect(processesWith(token)).toEqual([]);
});

test("a grep that cannot read NUL-terminated lines will do", async () => {
  const mark = newTestMark();
  const directory = mkdtempSync(join(tmpdir(), "proc-sweep-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const grep = execFileSync("which", ["grep"], { encoding: "utf8" }).trim();
  const plain = `#!/bin/sh\ncase $1 in -*z*) exit 2 ;; esac\nexec ${grep} "$@"\n`;
  writeFileSync(join(directory, "grep"), plain, { mode: 0o755 });
  const { pid } = await startProcess({ [treeVariable]: mark });
  const ended = execFileSync("sh", ["-s", "--", "switchboard-sweep", `${mark}(,|$)`, ""], {
    input: sweepScript,
    encoding: "utf8",
    env: { PATH: `${directory}:${process.env["PATH"]}` },
  });
  expect(ended.trim()).toMatch(new RegExp(`^${pid}-\\d+$`));
});

test("without /proc the process groups that the host opened are ended", async () => {
  const { pid, token } = await startProcess({}, "sleep TOKEN & sleep TOKEN & wait");
  await until(
    () => processesWith(token),
    (found) => found.length === 3,
  );
  const script = sweepScript.replaceAll("/proc/self/stat", "/nowhere");
  execFileSync("sh", ["-s", "--", "switchboard-sweep", newTestMark(), `${pid}-`], {
    input: script,
  });
  await until(
    () => processesWith(token),
    (left) => left.length === 0,
  );
  expect(isRunning(pid)).toBe(false);
});
