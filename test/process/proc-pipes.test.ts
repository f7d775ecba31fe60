import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sweepOrphans } from "../../src/proc/sweep-processes.ts";
import { tempDir } from "../support/temp-dir.ts";
import { isRunning, letGo, until, watchdogsOf } from "./fixtures/proc-list.ts";
import { allGone, startHost } from "./fixtures/proc-start-host.ts";

interface Heard {
  input: string;
  output: string;
  errors: string;
}

const allOpen: Heard = { input: "open", output: "open", errors: "open" };

async function startWith(pipes: "held" | "plain") {
  const directory = tempDir();
  const args = [pipes, directory];
  const started = await startHost({ expected: 2, fixture: "proc-pipes.ts", args });
  const { host, pid, tree } = started;
  let lines = "";
  host.stdout.setEncoding("utf8").on("data", (text: string) => (lines += text));
  /** How often the host has told this. */
  const told = (line: string): number => lines.split("\n").filter((each) => each === line).length;
  await expect.poll(() => told("started")).toBe(1);
  await expect.poll(() => existsSync(join(directory, "ready"))).toBe(true);
  const child = tree.find(({ parent }) => parent === pid)?.pid ?? 0;
  let asked = 0;
  /** What the child has heard of its pipes. */
  const heard = async (): Promise<Heard> => {
    asked += 1;
    const file = join(directory, `heard-${asked}`);
    process.kill(child, "SIGUSR1");
    await expect.poll(() => existsSync(file)).toBe(true);
    return JSON.parse(readFileSync(file, "utf8")) as Heard;
  };
  /** One more word in each of its pipes has reached the host. */
  const expectHeardByHost = async (): Promise<void> => {
    const before = [told("out"), told("err")];
    expect(await heard()).toEqual(allOpen);
    await expect.poll(() => [told("out"), told("err")]).toEqual(before.map((count) => count + 1));
  };
  /** The one that has taken over does nothing until it is let go. */
  const stopWatchdog = async (): Promise<number> => {
    const [watchdog] = await until(
      () => watchdogsOf(pid),
      ({ length }) => length === 1,
    );
    const stopped = watchdog?.pid ?? 0;
    onTestFinished(() => letGo(stopped));
    process.kill(stopped, "SIGSTOP");
    return stopped;
  };
  return { ...started, child, told, heard, expectHeardByHost, stopWatchdog };
}

test.for([
  ["held", allOpen],
  ["plain", { input: "ended", output: "EPIPE", errors: "EPIPE" }],
] as const)(
  "a child that outlives its killed host for a moment receives, with %s pipes, %j",
  async ([pipes, expected]) => {
    const { pid, token, child, exited, heard, stopWatchdog } = await startWith(pipes);
    const watchdog = await stopWatchdog();
    process.kill(pid, "SIGKILL");
    await exited;
    await sweepOrphans();
    expect(isRunning(child)).toBe(true);
    expect(await heard()).toEqual(expected);
    letGo(watchdog);
    expect(await allGone(token, pid)).toBeLessThan(5_000);
  },
);

test("a held input that the host ends is ended", async () => {
  const { host, pid, token, heard } = await startWith("held");
  expect(await heard()).toEqual(allOpen);
  host.stdin.write("end\n");
  await expect.poll(heard).toEqual({ ...allOpen, input: "ended" });
  process.kill(pid, "SIGKILL");
  expect(await allGone(token, pid)).toBeLessThan(5_000);
});

test("the host reads a child with held pipes to its end, also after another child was started", async () => {
  const { host, child, told, expectHeardByHost } = await startWith("held");
  await expectHeardByHost();
  host.stdin.write("another\n");
  await expect.poll(() => told("another")).toBe(1);
  await expectHeardByHost();
  process.kill(child, "SIGUSR2");
  await expect.poll(() => told("close")).toBe(1);
});

test("a killed watchdog's pipes go to the next watchdog, and the host goes on reading", async () => {
  const { pid, token, exited, heard, expectHeardByHost, stopWatchdog } = await startWith("held");
  const first = await stopWatchdog();
  process.kill(first, "SIGKILL");
  await until(
    () => watchdogsOf(pid),
    (found) => found.length === 1 && found[0]?.pid !== first,
  );
  await expectHeardByHost();
  const second = await stopWatchdog();
  process.kill(pid, "SIGKILL");
  await exited;
  await sweepOrphans();
  expect(await heard()).toEqual(allOpen);
  letGo(second);
  expect(await allGone(token, pid)).toBeLessThan(5_000);
});
