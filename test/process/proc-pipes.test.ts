import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { tempDir } from "../support/temp-dir.ts";
import { isRunning, until, watchdogsOf } from "./fixtures/proc-list.ts";
import { allGone, startHost } from "./fixtures/proc-start-host.ts";

interface Heard {
  input: string;
  output: string;
}

async function startWith(pipes: "held" | "plain") {
  const directory = tempDir();
  const started = await startHost({
    expected: 2,
    fixture: "proc-pipes.ts",
    args: [pipes, directory],
  });
  await expect.poll(() => existsSync(join(directory, "ready"))).toBe(true);
  const child = started.tree.find(({ parent }) => parent === started.pid)?.pid ?? 0;
  let asked = 0;
  /** What the child has heard of its pipes. */
  const heard = async (): Promise<Heard> => {
    asked += 1;
    const file = join(directory, `heard-${asked}`);
    process.kill(child, "SIGUSR1");
    await expect.poll(() => existsSync(file)).toBe(true);
    return JSON.parse(readFileSync(file, "utf8")) as Heard;
  };
  /** The one that has taken over; it does nothing until it is let go. */
  const stopWatchdog = async (): Promise<number> => {
    const [watchdog] = await until(
      () => watchdogsOf(started.pid),
      ({ length }) => length === 1,
    );
    process.kill(watchdog?.pid ?? 0, "SIGSTOP");
    return watchdog?.pid ?? 0;
  };
  return { ...started, child, heard, stopWatchdog };
}

test.for([
  ["held", { input: "open", output: "open" }],
  ["plain", { input: "ended", output: "EPIPE" }],
] as const)(
  "a child that outlives a killed host for a moment: with %s pipes it hears %j",
  async ([pipes, expected]) => {
    const { pid, token, child, exited, heard, stopWatchdog } = await startWith(pipes);
    const watchdog = await stopWatchdog();
    process.kill(pid, "SIGKILL");
    await exited;
    expect(isRunning(child)).toBe(true);
    expect(await heard()).toEqual(expected);
    process.kill(watchdog, "SIGCONT");
    expect(await allGone(token, pid)).toBeLessThan(5_000);
  },
);

test("a held input that the host ends is ended", async () => {
  const { host, pid, token, heard } = await startWith("held");
  expect(await heard()).toEqual({ input: "open", output: "open" });
  host.stdin.write("end\n");
  await expect.poll(heard).toEqual({ input: "ended", output: "open" });
  process.kill(pid, "SIGKILL");
  expect(await allGone(token, pid)).toBeLessThan(5_000);
});

test("a watchdog that is killed hands on what it held", async () => {
  const { pid, token, exited, heard } = await startWith("held");
  const [first] = await until(
    () => watchdogsOf(pid),
    ({ length }) => length === 1,
  );
  await delay(1_000); // younger ones are taken for broken and not replaced at once
  process.kill(first?.pid ?? 0, "SIGKILL");
  const [second] = await until(
    () => watchdogsOf(pid).filter((found) => found.pid !== first?.pid),
    ({ length }) => length === 1,
  );
  process.kill(second?.pid ?? 0, "SIGSTOP");
  process.kill(pid, "SIGKILL");
  await exited;
  expect(await heard()).toEqual({ input: "open", output: "open" });
  process.kill(second?.pid ?? 0, "SIGCONT");
  expect(await allGone(token, pid)).toBeLessThan(5_000);
});
