import { chmodSync, linkSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { listen } from "../../src/net/listen.ts";
import { tempDir } from "../support/temp-dir.ts";
import type { Fixture } from "./fixtures/net-start.ts";
import { start } from "./fixtures/net-start.ts";
import { asStranger } from "./fixtures/stranger.ts";

const CYCLES = 50;

/** A directory that all may write to, as /tmp is. */
function sharedDir(): string {
  const directory = tempDir();
  chmodSync(directory, 0o1777);
  return directory;
}

async function startStranger(directory: string): Promise<Fixture> {
  const stranger = start("net-stranger.ts", [directory, "a.sock"], asStranger);
  await stranger.nextLine();
  return stranger;
}

async function stop(stranger: Fixture): Promise<Record<string, number>> {
  stranger.process.send("stop");
  return JSON.parse(await stranger.nextLine()) as Record<string, number>;
}

// Only root can start a process as another user.
describe.runIf(process.getuid?.() === 0)("another user", () => {
  test("never connects, neither while sockets come and go nor while one is there", async () => {
    // The worst case: without a private directory, everybody could connect until the mode is set.
    const umask = process.umask(0);
    onTestFinished(() => void process.umask(umask));
    const path = join(sharedDir(), "a.sock");
    const stranger = await startStranger(join(path, ".."));
    let connections = 0;
    const onConnection = (): void => void (connections += 1);
    for (let cycle = 0; cycle < CYCLES; cycle += 1) {
      const listener = await listen({ path, onConnection });
      const leavesDeadSocket = cycle % 2 === 0;
      if (leavesDeadSocket) linkSync(path, `${path}.dead`);
      await listener.close();
      if (leavesDeadSocket) renameSync(`${path}.dead`, path);
    }
    await using listener = await listen({ path, onConnection });
    const outcomes = await stop(stranger);
    expect(listener.path).toBe(path);
    expect(outcomes).toMatchObject({ EACCES: expect.any(Number), ENOENT: expect.any(Number) });
    expect(outcomes).not.toHaveProperty("connected");
    expect(connections).toBe(0);
  });

  test("gets socket_in_use when it wants to listen there", async () => {
    const directory = sharedDir();
    const path = join(directory, "a.sock");
    await using listener = await listen({ path, onConnection: () => {} });
    const other = start("net-contender.ts", [], asStranger).process;
    const outcomes: unknown[] = [];
    other.on("message", (outcome) => outcomes.push(outcome));
    other.send({ path: listener.path, atMs: 0 });
    await expect.poll(() => outcomes).toEqual(["ready", { lost: "socket_in_use" }]);
  });
});
