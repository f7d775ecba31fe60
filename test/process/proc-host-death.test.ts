import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { treeVariable } from "../../src/proc/tree-mark.ts";
import { isRunning, until, variablesOf, watchdogsOf } from "./fixtures/proc-list.ts";
import { allGone, startHost, startHostBesideJob } from "./fixtures/proc-start-host.ts";
import { treeSize } from "./fixtures/proc-tree.ts";

const hostAndTree = treeSize + 1;

function descriptorsBelowTen(pid: number): Record<string, string> {
  const descriptors = readdirSync(`/proc/${pid}/fd`).filter((fd) => Number(fd) < 10);
  return Object.fromEntries(
    descriptors.map((fd) => [fd, readlinkSync(`/proc/${pid}/fd/${fd}`).replace(/\d+/, "…")]),
  );
}

test("a host that is killed takes its whole tree along, and the watchdog goes too", async () => {
  const { pid, token, watchdog } = await startHost({ expected: hostAndTree });
  expect(isRunning(watchdog)).toBe(true);
  process.kill(pid, "SIGKILL");
  const tookMs = await allGone(token, pid);
  console.log(`last descendant gone ${Math.round(tookMs)} ms after kill -9 of the host`);
});

test("a host that was stopped before it was killed takes its whole tree along", async () => {
  const { pid, token } = await startHost({ expected: hostAndTree });
  process.kill(pid, "SIGSTOP");
  process.kill(pid, "SIGKILL");
  expect(await allGone(token, pid)).toBeLessThan(5_000);
});

test("the watchdog alone is enough where there is no death signal", async () => {
  const { pid, token, tree } = await startHost({
    expected: hostAndTree,
    args: ["without-death-signal"],
  });
  const child = tree.find(({ parent, command }) => parent === pid && command.includes("setsid"));
  expect(child).toBeDefined();
  process.kill(pid, "SIGKILL");
  expect(await allGone(token, pid)).toBeLessThan(5_000);
});

test("a program that a killed host had become is ended too, with all that it started", async () => {
  const { pid, token } = await startHost({ expected: 4, fixture: "proc-foreground.ts" });
  process.kill(pid, "SIGKILL");
  expect(await allGone(token, pid)).toBeLessThan(5_000);
});

test("a person's own job in the session of a host that is killed runs on", async () => {
  const { pid, job, commands } = await startHostBesideJob();
  process.kill(pid, "SIGKILL");
  await until(
    () => watchdogsOf(pid),
    (left) => left.length === 0,
  );
  expect(commands()).toEqual([job]);
});

test("without a death signal the watchdog ends the child within half a second", async () => {
  // The best of three: a machine may have more to do.
  const tookMs: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const { pid, tree } = await startHost({
      expected: hostAndTree,
      args: ["without-death-signal"],
    });
    const child = tree.find(({ parent }) => parent === pid)?.pid ?? 0;
    expect(isRunning(child)).toBe(true);
    process.kill(pid, "SIGKILL");
    const start = performance.now();
    await until(
      () => isRunning(child),
      (running) => !running,
    );
    tookMs.push(performance.now() - start);
  }
  expect(Math.min(...tookMs)).toBeLessThan(500);
});

test.for([
  ["process.exit", "exit", 0],
  ["an uncaught exception", "throw", 1],
  ["the end of its event loop", "finish", 0],
] as const)("a host that ends by %s leaves nothing", async ([, command, code]) => {
  const { host, pid, token, exited } = await startHost({ expected: hostAndTree });
  host.stdin.write(`${command}\n`);
  expect(await exited).toEqual([code, null]);
  expect(await allGone(token, pid)).toBeLessThan(5_000);
});

test("a stopped child leaves nothing, and the idle watchdog does not keep the host alive", async () => {
  const { host, pid, token, exited } = await startHost({ expected: hostAndTree });
  host.stdin.write("stop\n");
  expect(await exited).toEqual([0, null]);
  expect(await allGone(token, pid)).toBeLessThan(5_000);
});

test.for(["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"] as const)(
  "%s to the host's process group, as from a terminal, misses the watchdog",
  async (signal) => {
    const { pid, token, exited } = await startHost({ expected: hostAndTree });
    process.kill(-pid, signal);
    expect(await exited).toEqual([null, signal]);
    expect(await allGone(token, pid)).toBeLessThan(5_000);
  },
);

test("signals to the watchdog itself do not stop it from watching", async () => {
  const { pid, token, watchdog } = await startHost({ expected: hostAndTree });
  // Ignored from the first lines of the script on; before that a signal would just bring a new watchdog.
  await until(
    () =>
      BigInt(`0x${/SigIgn:\t(\w+)/.exec(readFileSync(`/proc/${watchdog}/status`, "utf8"))?.[1]}`),
    (ignored) => (ignored & (1n << 14n)) !== 0n,
  );
  for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"] as const) process.kill(watchdog, signal);
  process.kill(pid, "SIGKILL");
  expect(await allGone(token, pid)).toBeLessThan(5_000);
});

/** A watchdog of the host itself. A part of a killed one that was just being forked has the same command line. */
const liveWatchdogOf = (host: number): number | undefined =>
  watchdogsOf(host).find(({ parent }) => parent === host)?.pid;

/** Kills the host's watchdog, and gives the next one, with the time that it took to come. */
async function killWatchdog(host: number, watchdog: number) {
  process.kill(watchdog, "SIGKILL");
  const startMs = performance.now();
  const next = await until(
    () => liveWatchdogOf(host),
    (found) => found !== undefined && found !== watchdog,
    15_000,
  );
  return { watchdog: next ?? 0, tookMs: performance.now() - startMs };
}

test("a killed watchdog is replaced, however young, and the last one knows the sessions", async () => {
  const { host, pid, token, watchdog } = await startHost({ expected: hostAndTree });
  let last = watchdog;
  for (let round = 0; round < 2; round += 1) ({ watchdog: last } = await killWatchdog(pid, last));
  // It is there before it was told what to watch; an answer shows that the host has come to an end with that.
  host.stdin.write("echo\n");
  await once(host.stdout, "data");
  process.kill(pid, "SIGKILL");
  expect(await allGone(token, pid)).toBeLessThan(5_000);
});

test("a watchdog that is killed young is replaced at once, and not for ever", async () => {
  const { pid, watchdog } = await startHost({ expected: hostAndTree });
  const tookMs: number[] = [];
  let last = watchdog;
  for (let round = 0; round < 8; round += 1) {
    const next = await killWatchdog(pid, last);
    last = next.watchdog;
    tookMs.push(next.tookMs);
  }
  // The best of them: a machine may have more to do. The first may have been old.
  expect(Math.min(...tookMs.slice(1, 5))).toBeLessThan(500);
  expect(Math.max(...tookMs)).toBeGreaterThan(900);
});

test("a host below another host ends with the outer one, and so do all their processes", async () => {
  const { pid, token, tree } = await startHost({ expected: hostAndTree + 1, args: ["nested"] });
  const inner = tree.find(({ parent }) => parent === pid)?.pid ?? 0;
  await until(
    () => watchdogsOf(inner),
    (found) => found.length === 1,
  );
  process.kill(pid, "SIGKILL");
  expect(await allGone(token, pid)).toBeLessThan(5_000);
  expect(await allGone(token, inner)).toBeLessThan(5_000);
});

test("the mark of a nested host's child names both hosts", async () => {
  const { pid, tree } = await startHost({ expected: hostAndTree + 1, args: ["nested"] });
  const inner = tree.find(({ parent }) => parent === pid)?.pid ?? 0;
  const child = tree.find(({ parent }) => parent === inner)?.pid ?? 0;
  const mark = variablesOf(child).find((entry) => entry.startsWith(`${treeVariable}=`));
  expect(mark).toMatch(new RegExp(String.raw`=\d+-${pid}-\d+/0-1,\d+-${inner}-\d+/0-1$`));
});

test("the watchdog holds only the given descriptors, and is small", async () => {
  const { watchdog } = await startHost({ expected: hostAndTree });
  // While it starts, it has others for a moment.
  await expect
    .poll(() => descriptorsBelowTen(watchdog))
    .toEqual({ 0: "socket:[…]", 1: "/dev/null", 2: "/dev/null", 3: "socket:[…]" });
  expect(variablesOf(watchdog).filter((entry) => entry.startsWith(treeVariable))).toEqual([]);
  expect(readlinkSync(`/proc/${watchdog}/cwd`)).toBe("/");
  const rssKb = Number(
    /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${watchdog}/status`, "utf8"))?.[1],
  );
  console.log(`watchdog: ${rssKb} KB resident`);
  expect(rssKb).toBeLessThan(5_000);
});
