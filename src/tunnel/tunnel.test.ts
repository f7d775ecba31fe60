import { once } from "node:events";
import type { Duplex } from "node:stream";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { HandClock } from "../../test/support/hand-clock.ts";
import type { Fate } from "../../test/support/tunnel/memory-carrier.ts";
import { memoryCarriers } from "../../test/support/tunnel/memory-carrier.ts";
import { errorOf } from "../wire/errors.ts";
import { decodeFrame } from "./frame.ts";
import type { LinkEvent, TunnelOptions } from "./tunnel.ts";
import { Tunnel } from "./tunnel.ts";

const never = new AbortController().signal;

interface Stage {
  readonly here: Tunnel;
  readonly there: Tunnel;
  readonly clock: HandClock;
  readonly events: LinkEvent[];
  /** Of frames that carry bytes from here to there. */
  readonly sentBytes: () => number;
  /** Lets time pass in steps, and messages arrive. */
  readonly pass: (ms: number) => Promise<void>;
  readonly settle: () => Promise<void>;
}

const repeat: TunnelOptions["accept"] = async () => (stream) => void stream.pipe(stream);

/** `there` repeats what it gets on each stream. */
function stage({
  fateOf,
  accept = repeat,
}: {
  fateOf?: (channel: string, bytes: Uint8Array) => Fate;
  accept?: TunnelOptions["accept"];
} = {}): Stage {
  const clock = new HandClock();
  const { ends, deliver } = memoryCarriers(fateOf);
  const events: LinkEvent[] = [];
  const here = new Tunnel({
    carrier: ends[0],
    clock,
    accept: () => Promise.reject(new Error("asked")),
    onLink: (event) => events.push(event),
  });
  const there = new Tunnel({ carrier: ends[1], clock, accept });
  onTestFinished(() => {
    here.close();
    there.close();
  });
  const settle = async (): Promise<void> => {
    for (let turns = 0; turns < 20; turns += 1) {
      deliver();
      await turn();
    }
  };
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 500) {
      clock.pass(500);
      await settle();
    }
  };
  const sentBytes = (): number =>
    ends[0].sent
      .map(({ bytes }) => decodeFrame(bytes))
      .reduce((sum, frame) => sum + (frame?.type === "data" ? frame.body.length : 0), 0);
  return { here, there, clock, events, sentBytes, pass, settle };
}

async function openOn({ here, pass, settle }: Stage, about = {}): Promise<Duplex> {
  await pass(1000);
  const opening = here.open(about, never);
  opening.catch(() => {});
  await settle();
  return opening;
}

describe("a tunnel", () => {
  test("carries a stream there and back, with its end", async () => {
    const at = stage();
    const stream = await openOn(at);
    stream.end("äöü".repeat(100_000));
    const all = text(stream);
    await at.settle();
    expect(await all).toBe("äöü".repeat(100_000));
    expect([at.here.openStreams, at.there.openStreams]).toEqual([0, 0]);
  });

  test("has no stream before both ends have heard of each other", async () => {
    const { here } = stage();
    await expect(here.open({}, never)).rejects.toMatchObject({ code: "connection_failed" });
  });

  test("passes on what the stream is for, and why the peer refuses it, with the system's error", async () => {
    const said: unknown[] = [];
    const at = stage({
      accept: async (about) => {
        said.push(about);
        const cause = Object.assign(new Error("gone"), { code: "ENOENT" });
        throw errorOf("connection_failed", "No socket.", { cause, data: { tries: 1 } });
      },
    });
    await expect(openOn(at, { kind: "session" })).rejects.toMatchObject({
      code: "connection_failed",
      message: "No socket.",
      data: { tries: 1 },
      cause: { code: "ENOENT" },
    });
    expect(said).toEqual([{ kind: "session" }]);
    expect([at.here.openStreams, at.there.openStreams]).toEqual([0, 0]);
  });

  test("gives up a stream at the caller's signal, and the peer stops deciding", async () => {
    let given: AbortSignal | undefined;
    const at = stage({
      accept: (_, signal) => {
        given = signal;
        return new Promise(() => {});
      },
    });
    await at.pass(1000);
    const giveUp = new AbortController();
    const opening = at.here.open({}, giveUp.signal);
    opening.catch(() => {});
    await at.settle();
    expect(given?.aborted).toBe(false);
    giveUp.abort(new Error("too late"));
    await expect(opening).rejects.toThrow("too late");
    await at.settle();
    expect(given?.aborted).toBe(true);
    expect([at.here.openStreams, at.there.openStreams]).toEqual([0, 0]);
  });

  test("holds no more than a window for a reader that has stopped, and goes on when it reads", async () => {
    const far = new PassThrough({ highWaterMark: 1 });
    const at = stage({ accept: async () => (stream) => void stream.pipe(far) });
    const stream = await openOn(at);
    const megabytes = Buffer.alloc(4 * 1024 * 1024, "x");
    stream.end(megabytes);
    await at.pass(10_000);
    expect(stream.writableFinished).toBe(false);
    // The window, and what Node's own buffers on the way hold.
    expect(at.sentBytes()).toBeGreaterThan(500_000);
    expect(at.sentBytes()).toBeLessThan(900_000);
    let bytes = 0;
    far.on("data", (chunk: Buffer) => (bytes += chunk.length));
    await at.pass(1000);
    expect(bytes).toBe(megabytes.length);
  });

  test.each(["is lost", "comes twice", "comes later"] as const)(
    "ends a stream with an error when a message of it %s",
    async (fate) => {
      let isOn = false;
      const at = stage({
        fateOf: (_, bytes) => {
          const isHit = isOn && decodeFrame(bytes)?.type === "data";
          if (isHit) isOn = false;
          return isHit ? fate : "arrives";
        },
      });
      const stream = await openOn(at);
      const failed = once(stream, "error");
      isOn = true;
      stream.write("one");
      await at.settle();
      stream.write("two");
      await at.pass(2000);
      expect(await failed).toMatchObject([{ code: "connection_lost" }]);
      expect([at.here.openStreams, at.there.openStreams]).toEqual([0, 0]);
    },
  );

  test("notices by the next beats that a request for a stream was lost", async () => {
    const at = stage({
      fateOf: (_, bytes) => (bytes[0] === 1 ? "is lost" : "arrives"),
    });
    await at.pass(1000);
    const opening = at.here.open({}, never);
    opening.catch(() => {});
    await at.pass(3000);
    await expect(opening).rejects.toMatchObject({ code: "connection_lost" });
  });

  test("ends every stream when the peer has been silent for five seconds", async () => {
    let isCut = false;
    const at = stage({ fateOf: () => (isCut ? "is lost" : "arrives") });
    const stream = await openOn(at);
    const failed = once(stream, "error");
    isCut = true;
    await at.pass(4000);
    expect(stream.destroyed).toBe(false);
    await at.pass(2000);
    expect(await failed).toMatchObject([{ code: "connection_lost" }]);
    expect(at.there.openStreams).toBe(0);
    expect(at.events.at(-1)).toMatchObject({ type: "lost" });
    isCut = false;
    await at.pass(2000);
    expect(at.here.isJoined).toBe(true);
  });

  test("ends every stream when another process follows the peer; the former one is displaced", async () => {
    const clock = new HandClock();
    const { ends, deliver } = memoryCarriers();
    const here = new Tunnel({ carrier: ends[0], clock, accept: repeat });
    const events: string[] = [];
    const onLink = ({ type }: LinkEvent): void => void events.push(type);
    const former = new Tunnel({ carrier: ends[1], clock, accept: repeat, onLink });
    const pass = async (): Promise<void> => {
      clock.pass(1000);
      for (let turns = 0; turns < 20; turns += 1) {
        deliver();
        await turn();
      }
    };
    await pass();
    const opening = here.open({}, never);
    await pass();
    const stream = await opening;
    const failed = once(stream, "error");
    const next = new Tunnel({ carrier: ends[1], clock, accept: repeat });
    await pass();
    await pass();
    expect(await failed).toMatchObject([{ code: "connection_lost" }]);
    expect(events).toContain("displaced");
    expect([here.isJoined, next.isJoined, former.isJoined]).toEqual([true, true, false]);
    for (const tunnel of [here, former, next]) tunnel.close();
  });
});
