import { existsSync, linkSync, readdirSync } from "node:fs";
import { createConnection } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { listen } from "../../src/net/listen.ts";
import { probeSocket } from "../../src/net/probe-socket.ts";
import { tempDir } from "../support/temp-dir.ts";
import type { Fixture } from "./fixtures/net-start.ts";
import { start, startWithFewFiles } from "./fixtures/net-start.ts";

const listener = (behaviour: string, path?: string): Fixture =>
  start("net-listener.ts", path === undefined ? [behaviour] : [behaviour, path]);

const FATAL_SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

describe("a process that listens leaves nothing behind", () => {
  test.each(FATAL_SIGNALS)("when it dies by %s, and it does die by it", async (signal) => {
    const directory = tempDir();
    for (const path of [undefined, join(directory, "a.sock")]) {
      const program = listener("wait", path);
      const socket = await program.nextLine();
      expect(existsSync(socket)).toBe(true);
      await program.nextLine();
      program.process.kill(signal);
      expect(await program.ended).toBe(signal);
      expect(existsSync(path ?? dirname(socket))).toBe(false);
    }
    expect(readdirSync(directory)).toEqual([]);
  });

  test.each([
    ["throw", 1],
    ["reject", 1],
    ["exit", 5],
    ["unref", 0],
    ["close", 0],
  ])("when it ends by itself (%s)", async (behaviour, code) => {
    const directory = tempDir();
    const program = listener(behaviour, join(directory, "a.sock"));
    await program.nextLine();
    expect(await program.ended).toBe(code);
    expect(readdirSync(directory)).toEqual([]);
  });

  test("when it has several listeners, also after one of them has closed", async () => {
    const program = listener("two-listeners");
    const [first, second] = [await program.nextLine(), await program.nextLine()];
    await program.nextLine();
    program.process.kill("SIGTERM");
    expect(await program.ended).toBe("SIGTERM");
    expect([first, second].map((path) => existsSync(dirname(path)))).toEqual([false, false]);

    const other = listener("one-of-two-closed");
    const path = await other.nextLine();
    await other.nextLine();
    other.process.kill("SIGTERM");
    expect(await other.ended).toBe("SIGTERM");
    expect(existsSync(dirname(path))).toBe(false);
  });
});

describe("a program with handlers of its own keeps control", () => {
  test.each(["handler-before", "handler-after"])("%s listening", async (behaviour) => {
    const directory = tempDir();
    const program = listener(behaviour, join(directory, "a.sock"));
    await program.nextLine();
    await program.nextLine();
    program.process.kill("SIGTERM");
    expect(await program.nextLine()).toBe("shut down");
    expect(await program.ended).toBe(3);
    expect(readdirSync(directory)).toEqual([]);
  });

  test("a signal that it survives costs it nothing", async () => {
    const program = listener("ignores-sighup");
    const path = await program.nextLine();
    await program.nextLine();
    program.process.kill("SIGHUP");
    expect(await program.nextLine()).toBe("ignored");
    expect(await probeSocket(path)).toEqual({ state: "alive" });
    program.process.kill("SIGTERM");
    expect(await program.ended).toBe("SIGTERM");
    expect(existsSync(path)).toBe(false);
  });
});

test("the signal is not lost when a library that also cleans up at the exit is loaded", async () => {
  const program = listener("with-execa");
  const path = await program.nextLine();
  const said = [await program.nextLine(), await program.nextLine()];
  expect(said.toSorted()).toEqual(["ready", "trapped"]);
  program.process.kill("SIGTERM");
  expect(await program.ended).toBe("SIGTERM");
  expect(existsSync(dirname(path))).toBe(false);
  expect(await program.nextLine()).toBe("child ended");
});

test("listen replaces the socket of a killed process, and not that of a living one", async () => {
  const path = join(tempDir(), "a.sock");
  const program = listener("wait", path);
  await program.nextLine();
  await program.nextLine();
  await expect(listen({ path, onConnection: () => {} })).rejects.toMatchObject({
    code: "socket_in_use",
  });
  program.process.kill("SIGKILL");
  await program.ended;
  expect(await probeSocket(path)).toEqual({ state: "dead" });

  await using successor = await listen({ path, onConnection: () => {} });
  expect(await probeSocket(successor.path)).toEqual({ state: "alive" });
  expect(readdirSync(dirname(path))).toEqual(["a.sock"]);
});

describe("a process that cannot be shown to be dead counts as alive", () => {
  test("a process that is stopped, with a full backlog", async () => {
    const path = join(tempDir(), "a.sock");
    const program = listener("wait", path);
    await program.nextLine();
    await program.nextLine();
    program.process.kill("SIGSTOP");
    const callers: ReturnType<typeof createConnection>[] = [];
    for (let code: string | undefined; code === undefined;) {
      const caller = createConnection(path);
      callers.push(caller);
      code = await new Promise<string | undefined>((resolve) => {
        caller.once("connect", () => resolve(undefined));
        caller.once("error", (error: NodeJS.ErrnoException) => resolve(error.code));
      });
    }
    await expect(listen({ path, onConnection: () => {} })).rejects.toMatchObject({
      code: "socket_in_use",
      message: expect.stringContaining("EAGAIN"),
    });
    for (const caller of callers) caller.destroy();
  });

  test("a dead socket, when there is no file descriptor left to try it", async () => {
    const path = join(tempDir(), "a.sock");
    const gone = await listen({ path: `${path}.old`, onConnection: () => {} });
    linkSync(gone.path, path);
    await gone.close();
    const starved = startWithFewFiles("net-starved.ts", 64, [path]);
    expect(JSON.parse(await starved.nextLine())).toEqual({
      code: "socket_in_use",
      message: expect.stringContaining("EMFILE"),
    });
    expect(await starved.ended).toBe(0);
    expect(readdirSync(dirname(path))).toEqual(["a.sock"]);
  });
});
