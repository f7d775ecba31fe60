import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { SpawnedProcess } from "@anthropic-ai/claude-agent-sdk";
import { expect, expectTypeOf, onTestFinished, test } from "vitest";
import type { Child, ChildOptions, PipedChild } from "../../src/proc/start-child.ts";
import { startChild } from "../../src/proc/start-child.ts";
import { treeVariable } from "../../src/proc/tree-mark.ts";
import { tempDir } from "../support/temp-dir.ts";
import {
  describe,
  newToken,
  processesWith,
  until,
  variablesOf,
  watchdogsOf,
} from "./fixtures/proc-list.ts";
import { startHost } from "./fixtures/proc-start-host.ts";
import { treeScript, treeSize } from "./fixtures/proc-tree.ts";

function start(options: Omit<ChildOptions, "stdio">): PipedChild {
  const child = startChild(options);
  onTestFinished(async () => {
    await child.stop({ askMs: 0, termMs: 0 });
  });
  return child;
}

const sh = (script: string) => start({ command: "sh", args: ["-c", script] });

async function startTree(): Promise<{ child: Child; token: string }> {
  const token = newToken();
  onTestFinished(() => {
    for (const { pid } of processesWith(token)) process.kill(pid, "SIGKILL");
  });
  const child = sh(treeScript(token));
  await until(
    () => processesWith(token),
    (found) => found.length === treeSize,
  );
  return { child, token };
}

test("a child can be handed to the Agent SDK as it is", () => {
  expectTypeOf(start({ command: "true" }).process).toExtend<SpawnedProcess>();
});

test("output of a child before the first listener is not lost", async () => {
  const { process: child } = sh("echo early; read line; echo late");
  await delay(50);
  child.stdin.end("\n");
  expect(await text(child.stdout)).toBe("early\nlate\n");
});

test("the pid is the program's own, in a session and group of its own, and it is marked", async () => {
  const child = start({ command: "sleep", args: ["600"] });
  const program = await until(
    () => describe(child.pid),
    (seen) => seen?.command === "sleep 600 ",
  );
  expect(program).toMatchObject({ parent: process.pid, session: child.pid });
  expect(variablesOf(child.pid).join("\n")).toMatch(
    new RegExp(String.raw`^${treeVariable}=\S*\d+-${process.pid}-\d+/0-\d+$`, "m"),
  );
});

test("a child's end has its exit code and signal", async () => {
  expect(await sh("exit 7").exited).toEqual({ code: 7, signal: null });
  expect(await sh("kill -USR1 $$").exited).toEqual({ code: null, signal: "SIGUSR1" });
});

test("only the given environment arrives, and unset variables are absent", async () => {
  const env = { PATH: process.env["PATH"], GREETING: "hello", NOTHING: undefined };
  const child = start({ command: "env", env });
  const names = (await text(child.process.stdout)).split("\n").map((line) => line.split("=")[0]);
  expect(new Set(names)).toEqual(new Set(["", "GREETING", "PATH", treeVariable]));
});

test("a missing directory or program is named at once", () => {
  const missing = join(tmpdir(), "no-such-directory");
  expect(() => startChild({ command: "true", cwd: missing })).toThrowError(
    expect.objectContaining({ code: "cwd_not_found", message: `${missing} is not a directory` }),
  );
  expect(() => startChild({ command: "no-such-program", env: { PATH: "/usr/bin" } })).toThrowError(
    expect.objectContaining({
      code: "start_failed",
      message: "There is no executable no-such-program in PATH (/usr/bin)",
    }),
  );
  expect(() => startChild({ command: "./gone", cwd: tmpdir() })).toThrowError(
    expect.objectContaining({ message: "There is no executable ./gone" }),
  );
});

test("a command that cannot start is named with the reason and a hint", () => {
  const directory = tempDir();
  const script = join(directory, "script");
  writeFileSync(join(directory, "not-executable"), "");
  writeFileSync(script, `#!${directory}/not-executable\n`, { mode: 0o755 });
  expect(() => startChild({ command: script, linger: true })).toThrowError(
    expect.objectContaining({
      code: "start_failed",
      message: `The system did not start ${script}: EACCES`,
      hint: expect.stringContaining("Check that you may execute it"),
    }),
  );
  expect(() => startChild({ command: "true", args: ["x".repeat(1_000_000)] })).toThrowError(
    expect.objectContaining({
      code: "start_failed",
      message: "The system did not start true: E2BIG",
      hint: expect.stringContaining("arguments"),
    }),
  );
});

test("a system without room says so and does not end the host", async () => {
  const file = fileURLToPath(new URL("fixtures/proc-no-descriptors.ts", import.meta.url));
  const host = sh(`ulimit -n 64; exec "${process.execPath}" "${file}"`);
  host.process.stderr.resume();
  expect(await text(host.process.stdout)).toBe(
    '["The system did not start /bin/sh: EMFILE",{"code":0,"signal":null}]',
  );
});

test("a relative program is looked for in the child's directory", async () => {
  const directory = mkdtempSync(join(tmpdir(), "proc-child-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  await sh(`printf '#!/bin/sh\\nexit 5' >${directory}/five; chmod 755 ${directory}/five`).exited;
  expect(await start({ command: "./five", cwd: directory }).exited).toMatchObject({ code: 5 });
});

test("stop: a child that ends with its input ends by itself", async () => {
  const report = await start({ command: "cat" }).stop();
  expect(report).toEqual({ stage: "ask", exit: { code: 0, signal: null }, swept: 0 });
});

test("stop: the caller may ask in its own way", async () => {
  const child = sh("trap 'exit 3' USR1; echo ready; while :; do sleep 0.01; done");
  await new Promise((resolve) => child.process.stdout.once("data", resolve));
  const report = await child.stop({ ask: () => child.process.kill("SIGUSR1") });
  expect(report).toMatchObject({ stage: "ask", exit: { code: 3 } });
});

test.for([
  [
    "throws",
    () => {
      throw new Error("no");
    },
  ],
  ["rejects", () => Promise.reject(new Error("no"))],
  ["never answers", () => new Promise(() => {})],
] as const)("stop: SIGTERM follows when the asking %s", async ([, ask]) => {
  const report = await start({ command: "sleep", args: ["600"] }).stop({ ask, askMs: 50 });
  expect(report).toMatchObject({ stage: "term", exit: { signal: "SIGTERM" } });
});

test("stop: SIGKILL follows when SIGTERM is ignored, for the whole group", async () => {
  const token = newToken();
  const child = sh(`trap '' TERM; sleep ${token} & echo ready; while :; do sleep 0.01; done`);
  await new Promise((resolve) => child.process.stdout.once("data", resolve));
  const report = await child.stop({ askMs: 50, termMs: 50 });
  expect(report).toMatchObject({ stage: "kill", exit: { code: null, signal: "SIGKILL" } });
  expect(processesWith(token)).toEqual([]);
});

test("stop: when it resolves nothing is left, not even in other sessions", async () => {
  const { child, token } = await startTree();
  const report = await child.stop({ askMs: 0 });
  expect(processesWith(token)).toEqual([]);
  expect(report.stage).toBe("term");
  expect(report.swept).toBe(4);
});

test("stop: a second call, at once or later, returns the first report", async () => {
  const child = start({ command: "cat" });
  const [first, second] = await Promise.all([child.stop(), child.stop()]);
  expect(second).toBe(first);
  expect(await child.stop()).toBe(first);
});

test("stop: a child that has already ended is reported as ended", async () => {
  const child = start({ command: "false" });
  await child.exited;
  expect(await child.stop()).toMatchObject({ stage: "ended", exit: { code: 1 } });
});

test("when the child alone is killed, its descendants are ended", async () => {
  const { child, token } = await startTree();
  process.kill(child.pid, "SIGKILL");
  expect(await child.exited).toEqual({ code: null, signal: "SIGKILL" });
  expect(await child.gone).toBe(treeSize - 1);
  expect(processesWith(token)).toEqual([]);
});

test("processes that a child left when it ended normally are ended too", async () => {
  const token = newToken();
  const child = sh(`setsid sleep ${token} & exit 0`);
  expect(await child.exited).toEqual({ code: 0, signal: null });
  expect(await child.gone).toBe(1);
  expect(processesWith(token)).toEqual([]);
});

test("the tree of one child is ended, that of its sibling is not", async () => {
  const [one, other] = [await startTree(), await startTree()];
  await one.child.stop({ askMs: 0 });
  expect(processesWith(other.token)).toHaveLength(treeSize);
});

test("a child of a worker thread ends with the thread, others live on", async () => {
  const { host, pid, token } = await startHost({ expected: 3, fixture: "proc-threads.ts" });
  const ofThread = () => processesWith(`sleep ${token}1`).length;
  const ofMain = () => processesWith(`sleep ${token}0`).length;
  const watchdogs = () => watchdogsOf(pid).length;
  const counts = () => [ofThread(), ofMain(), watchdogs()];
  await until(counts, (seen) => seen.join() === "1,1,2");
  host.stdin.write("end the thread\n");
  await until(watchdogs, (count) => count === 1);
  expect(counts()).toEqual([0, 1, 1]);
});

test("a lingering child outlives its host and has no mark", async () => {
  const plan = { expected: 2, fixture: "proc-linger.ts" };
  const { host, exited, token, pid, watchdog } = await startHost(plan);
  const program = () => processesWith(token).find(({ command }) => command.startsWith("sleep"));
  const child = await until(program, (found) => found !== undefined);
  expect(watchdog).toBe(0);
  host.kill("SIGKILL");
  await exited;
  await until(program, (found) => found?.parent !== pid);
  expect(program()?.pid).toBe(child?.pid);
  const marks = variablesOf(child?.pid ?? 0).filter((entry) => entry.startsWith(treeVariable));
  expect(marks).toEqual([]);
});

test("a lingering child does not keep its host alive, not even by its pipes", async () => {
  const { exited, token } = await startHost({
    expected: 1,
    fixture: "proc-linger.ts",
    args: ["leave"],
  });
  expect(await exited).toEqual([0, null]);
  expect(processesWith(token).map(({ command }) => command)).toEqual([`sleep ${token} `]);
});

test("a lingering child can be stopped, with its session", async () => {
  const token = newToken();
  const child = start({
    command: "sh",
    args: ["-c", `trap 'exit 0' TERM; env -i sleep ${token} & wait`],
    linger: true,
  });
  await until(
    () => processesWith(`sleep ${token}`),
    (found) => found.length >= 2,
  );
  await child.stop({ askMs: 0 });
  expect(processesWith(token)).toEqual([]);
});
