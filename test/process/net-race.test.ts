import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { linkSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { claimOf } from "../../src/net/socket-file/claim-path.ts";
import { dial } from "../../src/net/connect-with-retries.ts";
import { listen } from "../../src/net/listen.ts";
import { tempDir } from "../support/temp-dir.ts";
import type { Order, Outcome } from "./fixtures/net-contender.ts";
import { start } from "./fixtures/net-start.ts";

const ROUNDS = 20;

async function ask(contender: ChildProcess, order: Order): Promise<Outcome> {
  contender.send(order);
  const [outcome] = (await once(contender, "message")) as [Outcome];
  return outcome;
}

async function startContenders(count: number): Promise<ChildProcess[]> {
  const contenders = Array.from({ length: count }, () => start("net-contender.ts").process);
  await Promise.all(contenders.map((contender) => once(contender, "message")));
  return contenders;
}

async function leaveStaleSocket(path: string): Promise<void> {
  const listener = await listen({ path: `${path}.old`, onConnection: () => {} });
  linkSync(listener.path, path);
  await listener.close();
}

/** What a process leaves that was killed while it took the place of one that was killed before. */
async function leaveStaleClaim(path: string): Promise<void> {
  await leaveStaleSocket(claimOf(path));
  await leaveStaleSocket(path);
}

test.each([
  [2, "an empty path", async () => {}],
  [2, "a dead socket", leaveStaleSocket],
  [2, "a dead socket with a dead claim", leaveStaleClaim],
  [4, "an empty path", async () => {}],
  [4, "a dead socket", leaveStaleSocket],
  [4, "a dead socket with a dead claim", leaveStaleClaim],
])(
  "listen lets one of %i processes that want %s at once have it",
  async (count, _what, prepare) => {
    const directory = tempDir();
    const path = join(directory, "a.sock");
    const contenders = await startContenders(count);
    for (let round = 0; round < ROUNDS; round += 1) {
      await prepare(path);
      const atMs = Date.now() + 5;
      const outcomes = await Promise.all(contenders.map((each) => ask(each, { path, atMs })));
      const winners = contenders.filter((_, index) => outcomes[index] === "won");
      const losses = outcomes.filter((outcome) => outcome !== "won");
      expect(losses).toEqual(Array.from({ length: count - 1 }, () => ({ lost: "socket_in_use" })));
      const socket = await dial(path);
      expect(await text(socket)).toBe(`${winners[0]?.pid}`);
      socket.destroy();
      expect(readdirSync(directory)).toEqual(["a.sock"]);
      await Promise.all(contenders.map((each) => ask(each, "close")));
      expect(readdirSync(directory)).toEqual([]);
    }
  },
);
