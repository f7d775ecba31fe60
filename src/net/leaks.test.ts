import { readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { channel } from "./channel.ts";
import { jsonLines } from "./codec.ts";
import { dial } from "./connect-with-retries.ts";
import { listen } from "./listen.ts";
import { tempDir } from "../../test/support/temp-dir.ts";

const CYCLES = 1_000;

function openSockets(): number {
  return readdirSync("/proc/self/fd").filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith("socket:");
    } catch {
      // The descriptor of the listing itself is gone by now.
      return false;
    }
  }).length;
}

test.runIf(process.platform === "linux")(
  "a thousand listeners and connections leave no socket, file or listener open",
  async () => {
    const directory = tempDir();
    const before = { sockets: openSockets(), handlers: process.listenerCount("SIGTERM") };
    for (let cycle = 0; cycle < CYCLES; cycle += 1) {
      const path = join(directory, `${cycle % 7}.sock`);
      const listener = await listen({
        ...(cycle % 2 === 0 && { path }),
        onConnection: (socket) => void channel(socket, jsonLines).send("welcome"),
      });
      const client = channel(await dial(listener.path), jsonLines);
      for await (const message of client) {
        expect(message).toEqual({ ok: true, value: "welcome" });
        break;
      }
      // Either side may be the first to close.
      if (cycle % 3 === 0) await client.close();
      await listener.close();
      await client.close();
    }
    const after = { sockets: openSockets(), handlers: process.listenerCount("SIGTERM") };
    expect(after).toEqual(before);
    expect(readdirSync(directory)).toEqual([]);
  },
);
