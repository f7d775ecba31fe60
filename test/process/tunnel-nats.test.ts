import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { decodeFrame } from "../../src/tunnel/frame.ts";
import { connectNats } from "../../src/tunnel/nats/connect-nats.ts";
import type { Nats } from "../support/nats/start-nats.ts";
import { hasNats, startNats } from "../support/nats/start-nats.ts";
import { joined, never, tunnelOver } from "../support/tunnel/nats-ends.ts";

const MIB = 1024 * 1024;
const digest = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

describe.skipIf(!hasNats)("a tunnel over a real nats-server", () => {
  let nats: Nats;
  beforeAll(async () => {
    nats = await startNats();
  });
  afterAll(() => nats.close());

  test.each([0, 1, 128 * 1024, 128 * 1024 + 1, MIB, 10 * MIB])(
    "carries %i bytes there and back unchanged, and both directions end",
    async (size) => {
      const { team, host } = await tunnelOver(nats.server.url, (stream) => stream.pipe(stream));
      const sent = randomBytes(size);
      const stream = await team.open({}, never);
      stream.end(sent);
      expect(digest(await buffer(stream))).toBe(digest(sent));
      await vi.waitUntil(() => team.openStreams + host.openStreams === 0);
    },
  );

  test("an end of one direction leaves the other open", async () => {
    const { team } = await tunnelOver(nats.server.url, (stream) => {
      void buffer(stream).then((all) => stream.end(`got ${all.length}`));
    });
    const stream = await team.open({}, never);
    stream.end("four");
    expect(String(await buffer(stream))).toBe("got 4");
  });

  test("a missing message ends the stream at both ends, and the next stream works", async () => {
    let isOn = false;
    const { team, host } = await tunnelOver(
      nats.server.url,
      (stream) => stream.pipe(stream),
      (carrier) => ({
        ...carrier,
        publish(channel, bytes) {
          const isHit = isOn && decodeFrame(bytes)?.type === "data";
          if (isHit) isOn = false;
          else carrier.publish(channel, bytes);
        },
      }),
    );
    const stream = await team.open({}, never);
    const failed = once(stream, "error");
    isOn = true;
    stream.write("one");
    expect(await failed).toMatchObject([{ code: "connection_lost" }]);
    expect(team.openStreams + host.openStreams).toBe(0);
    const next = await team.open({}, never);
    next.end("two");
    expect(String(await buffer(next))).toBe("two");
  });

  test("a reader that stops costs a window of memory, cuts nobody off, and gets everything later", async () => {
    const SIZE = 100 * MIB;
    const far = new PassThrough();
    const { team } = await tunnelOver(nats.server.url, (stream) => void stream.pipe(far));
    const [slow, other] = [await team.open({}, never), await team.open({}, never)];
    const piece = Buffer.alloc(MIB);
    let written = 0;
    const write = async (): Promise<void> => {
      while (written < SIZE) {
        written += piece.length;
        if (!slow.write(piece)) await once(slow, "drain");
      }
      slow.end();
    };
    const before = process.memoryUsage();
    const writing = write();
    await vi.waitUntil(() => written > 0);
    let last = -1;
    // It stands still.
    await expect
      .poll(() => [last, (last = written)].every((each) => each === written), { interval: 500 })
      .toBe(true);
    expect(written).toBeLessThan(4 * MIB);
    expect(process.memoryUsage().arrayBuffers - before.arrayBuffers).toBeLessThan(20 * MIB);
    expect(nats.server.log).not.toContain("Slow Consumer");
    other.destroy();
    let bytes = 0;
    far.on("data", (chunk: Buffer) => (bytes += chunk.length));
    await writing;
    await vi.waitUntil(() => bytes === SIZE, { timeout: 60_000 });
    expect(nats.server.log).not.toContain("Slow Consumer");
  });

  test("a second process under a host's name ends the streams of the first, which hears of it", async () => {
    const { team, host } = await tunnelOver(nats.server.url, (stream) => stream.pipe(stream));
    const stream = await team.open({}, never);
    const failed = once(stream, "error");
    const second = await tunnelOver(nats.server.url, (at) => at.pipe(at));
    // The second pair's own team end is a stranger to both.
    second.team.close();
    expect(await failed).toMatchObject([{ code: "connection_lost" }]);
    await vi.waitUntil(() => !host.isJoined, { timeout: 20_000 });
  });

  test("streams end within seconds when the server is killed, and new ones work when it is back", async () => {
    const own = await startNats();
    onTestFinished(own.close);
    const { team } = await tunnelOver(own.server.url, (stream) => stream.pipe(stream));
    const stream = await team.open({}, never);
    const failed = once(stream, "error");
    await own.server.kill();
    expect(await failed).toMatchObject([{ code: "connection_lost" }]);
    await expect(team.open({}, never)).rejects.toMatchObject({ code: "connection_failed" });
    await own.server.start();
    await joined(team);
    const next = await team.open({}, never);
    next.end("back");
    expect(String(await buffer(next))).toBe("back");
  });

  test("connectNats throws connection_failed where no server is, and bus_refused for wrong credentials", async () => {
    await expect(connectNats({ url: "nats://127.0.0.1:1", name: "t" })).rejects.toMatchObject({
      code: "connection_failed",
    });
    const strict = await startNats({ settings: 'authorization { token: "right" }' });
    onTestFinished(strict.close);
    await expect(connectNats({ url: strict.server.url, name: "t" })).rejects.toMatchObject({
      code: "bus_refused",
    });
  });
});
