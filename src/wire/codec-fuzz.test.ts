import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeFrame, FrameSplitter } from "./frame.ts";
import { encodeLine, LineSplitter } from "./lines.ts";
import { MAX_MESSAGE_BYTES } from "./json-payload.ts";
import type { Split, Splitter } from "./splitter.ts";
import { decode } from "./splitter.ts";

// In a process of its own, because it measures what the whole process copies and holds.

const STREAMS = 10_000;
const SMALL_BOUND = 4_096;
const SOCKET_CHUNK_BYTES = 65_536;
const MEGABYTE = 1_048_576;

const framings = [
  {
    name: "frames",
    encode: encodeFrame,
    open: (maxBytes?: number): Splitter => new FrameSplitter(maxBytes),
    /** Begins a message that will never end. */
    endless: Uint8Array.of(0xff, 0xff, 0xff, 0xff),
  },
  {
    name: "lines",
    encode: encodeLine,
    open: (maxBytes?: number): Splitter => new LineSplitter(maxBytes),
    endless: Uint8Array.of(0x22),
  },
];

describe.each(framings)("A splitter of $name", ({ encode, open, endless }) => {
  it(`survives ${STREAMS} random streams, however they are cut, in bounded memory`, () => {
    let largestAllocation = 0;
    fc.assert(
      fc.property(streamOf(encode), chunkSize, (stream, chunkBytes) => {
        const whole = splitAll(open(SMALL_BOUND), stream, stream.length);
        const work = watchBytes(() => splitAll(open(SMALL_BOUND), stream, chunkBytes));
        largestAllocation = Math.max(largestAllocation, work.largestAllocation);

        expect(work.result.map(contentOf)).toEqual(whole.map(contentOf));
        for (const split of whole) decode(split);
      }),
      { numRuns: STREAMS },
    );
    // A splitter holds one piece of memory and, while it grows, the next one: at most twice this.
    expect(largestAllocation).toBeGreaterThan(SMALL_BOUND / 2);
    expect(largestAllocation).toBeLessThanOrEqual(SMALL_BOUND + 1);
  });

  it.each([SOCKET_CHUNK_BYTES, 1_024, 1])("is linear on 10 MB in chunks of %i bytes", (size) => {
    const stream = encode("x".repeat(MAX_MESSAGE_BYTES - 2));
    const work = watchBytes(() => splitAll(open(), stream, size));
    expect(work.result.map(({ ok }) => ok)).toEqual([true]);
    expect(work.copiedBytes).toBeLessThan(3 * stream.length);
    expect(work.searchedBytes).toBeLessThanOrEqual(stream.length);
  });

  it("holds no more than twice the bound while the largest message arrives", () => {
    const stream = encode("x".repeat(MAX_MESSAGE_BYTES - 2));
    const peak = peakHeldBytes(open(), cut(stream, SOCKET_CHUNK_BYTES));
    expect(peak).toBeGreaterThan(MAX_MESSAGE_BYTES / 2);
    expect(peak).toBeLessThanOrEqual(2 * MAX_MESSAGE_BYTES);
  });

  it("holds nothing of a message over the bound once that is known", () => {
    const splitter = open();
    const before = heldBytes();
    const chunk = new Uint8Array(SOCKET_CHUNK_BYTES).fill(0x61);
    const errors = splitter.push(endless);
    const endlessChunks = Array.from({ length: 400 }, () => chunk);
    const peak = peakHeldBytes(splitter, endlessChunks, errors);
    expect(errors.map(contentOf)).toEqual(["message_too_large"]);
    expect(peak).toBeLessThanOrEqual(2 * MAX_MESSAGE_BYTES);
    expect(heldBytes() - before).toBeLessThan(MEGABYTE);
  });
});

it("A frame that is only announced costs no memory", () => {
  const announcement = encodeFrame("x".repeat(MAX_MESSAGE_BYTES - 2)).slice(0, 10);
  const before = heldBytes();
  const splitters = Array.from({ length: 1_000 }, () => new FrameSplitter());
  for (const splitter of splitters) splitter.push(announcement);
  expect(heldBytes() - before).toBeLessThan(MEGABYTE);
  expect(splitters[0]?.end()?.message).toContain("after 6 of the 10485760 bytes");
});

const chunkSize = fc.oneof(
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 7 }) },
  { weight: 9, arbitrary: fc.integer({ min: 8, max: 2 * SMALL_BOUND }) },
);

/**
 * Noise, long runs of one byte, and things that mean something to either framing. Whole messages come
 * more often, because a frame that announces gigabytes hides all that follows it.
 */
function streamOf(encode: (value: unknown) => Uint8Array): fc.Arbitrary<Uint8Array> {
  const values = [7, { a: [1, null] }, "é\u2028", "x".repeat(SMALL_BOUND - 2)];
  const messages = values.map((value) => encode(value));
  const lengths = [0, 1, 9, SMALL_BOUND - 1, SMALL_BOUND, SMALL_BOUND + 1, 2 ** 32 - 1];
  const headers = lengths.map((length) => Uint8Array.from([24, 16, 8, 0], (at) => length >>> at));
  const bytes = [0x00, 0x0a, 0x0d, 0x20, 0x22, 0x61, 0xc3, 0xff].map((byte) => Uint8Array.of(byte));
  const run = fc
    .tuple(fc.constantFrom(0x20, 0x61, 0xff), fc.integer({ min: 1, max: SMALL_BOUND + 2 }))
    .map(([byte, length]) => new Uint8Array(length).fill(byte));
  const piece = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...messages) },
    { weight: 4, arbitrary: fc.constantFrom(...headers, ...bytes) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 30 }) },
    { weight: 1, arbitrary: run },
  );
  return fc
    .array(piece, { maxLength: 12, size: "max" })
    .map((pieces) => new Uint8Array(Buffer.concat(pieces)));
}

function* cut(stream: Uint8Array, chunkBytes: number): Generator<Uint8Array> {
  for (let at = 0; at < stream.length; at += chunkBytes) yield stream.subarray(at, at + chunkBytes);
}

function splitAll(splitter: Splitter, stream: Uint8Array, chunkBytes: number): Split[] {
  const splits: Split[] = [];
  for (const chunk of cut(stream, chunkBytes)) splits.push(...splitter.push(chunk));
  const error = splitter.end();
  if (error) splits.push({ ok: false, error });
  return splits;
}

const contentOf = (split: Split): string =>
  split.ok ? Buffer.from(split.bytes).toString("latin1") : split.error.code;

interface Work<Result> {
  result: Result;
  copiedBytes: number;
  searchedBytes: number;
  largestAllocation: number;
}

/** Counts what `act` does with bytes, by standing in for the ways in which they are moved. */
function watchBytes<Result>(act: () => Result): Work<Result> {
  const native = Uint8Array;
  const typedArray = Object.getPrototypeOf(native.prototype) as Uint8Array;
  const set = Reflect.get(typedArray, "set");
  const indexOf = Reflect.get(typedArray, "indexOf");
  let copiedBytes = 0;
  let searchedBytes = 0;
  let largestAllocation = 0;

  typedArray.set = function (this: Uint8Array, source, offset) {
    copiedBytes += source.length;
    set.call(this, source, offset);
  };
  typedArray.indexOf = function (this: Uint8Array, byte, from = 0) {
    const at = indexOf.call(this, byte, from);
    searchedBytes += (at < 0 ? this.length : at + 1) - from;
    return at;
  };
  globalThis.Uint8Array = new Proxy(native, {
    construct(target, args, newTarget) {
      const made = Reflect.construct(target, args, newTarget) as Uint8Array;
      largestAllocation = Math.max(largestAllocation, made.length);
      return made;
    },
  });
  try {
    return { result: act(), copiedBytes, searchedBytes, largestAllocation };
  } finally {
    Object.assign(typedArray, { set, indexOf });
    globalThis.Uint8Array = native;
  }
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function heldBytes(): number {
  collectGarbage();
  collectGarbage(); // waits for the memory that the first one freed in the background
  return process.memoryUsage().arrayBuffers;
}

/** The most that is held after a chunk, over what was held before; looked at now and then. */
function peakHeldBytes(
  splitter: Splitter,
  chunks: Iterable<Uint8Array>,
  found: Split[] = [],
): number {
  const before = heldBytes();
  let peak = 0;
  let turn = 0;
  for (const chunk of chunks) {
    found.push(...splitter.push(chunk));
    turn += 1;
    if (turn % 20 === 0) peak = Math.max(peak, heldBytes() - before);
  }
  return peak;
}
