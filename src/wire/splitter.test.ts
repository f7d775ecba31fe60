import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeFrame, frameBytes, FrameSplitter } from "./frame.ts";
import { encodeLine, LineSplitter } from "./lines.ts";
import type { Splitter } from "./splitter.ts";
import { decode } from "./splitter.ts";
import { encodeUtf8 } from "./utf8.ts";

const MAX_BYTES = 200;

/** What one message of a stream looks like on the wire, and what must come out of it. */
interface Sent {
  bytes: Uint8Array;
  outcome: string;
}

const good = (bytes: Uint8Array, value: unknown): Sent => ({
  bytes,
  outcome: JSON.stringify(value),
});
const bad = (bytes: Uint8Array, outcome: string): Sent => ({ bytes, outcome });
const endLine = (body: Uint8Array) => concat([body, Uint8Array.of(0x0a)]);

const jsonValue = fc.jsonValue({ stringUnit: "binary", maxDepth: 2 });
const smallValue = jsonValue.filter((value) => encodeFrame(value).length < MAX_BYTES);
const invalidJson = fc.constantFrom("{", "[1,]", "nul", '"\u2028', "1 2").map(encodeUtf8);
const invalidUtf8 = fc
  .constantFrom([0xff], [0x22, 0xc3, 0x22])
  .map((bytes) => Uint8Array.from(bytes));
const oversized = fc
  .integer({ min: MAX_BYTES + 1, max: 3 * MAX_BYTES })
  .map((length) => new Uint8Array(length).fill(0x61));

const framings = [
  {
    name: "frames",
    encode: encodeFrame,
    open: (): Splitter => new FrameSplitter(MAX_BYTES),
    sent: fc.oneof(
      smallValue.map((value) => good(encodeFrame(value), value)),
      invalidJson.map((body) => bad(frameBytes(body), "parse_error")),
      invalidUtf8.map((body) => bad(frameBytes(body), "parse_error")),
      oversized.map((body) => bad(frameBytes(body), "message_too_large")),
      fc.constant(bad(frameBytes(new Uint8Array(0)), "parse_error")),
    ),
  },
  {
    name: "lines",
    encode: encodeLine,
    open: (): Splitter => new LineSplitter(MAX_BYTES),
    sent: fc.oneof(
      smallValue.map((value) => good(encodeLine(value), value)),
      invalidJson.map((body) => bad(endLine(body), "parse_error")),
      invalidUtf8.map((body) => bad(endLine(body), "parse_error")),
      oversized.map((body) => bad(endLine(body), "message_too_large")),
    ),
  },
];

describe.each(framings)("A splitter of $name", ({ encode, open, sent }) => {
  it("gives the same values back, however the stream is cut", () => {
    fc.assert(
      fc.property(fc.array(smallValue), cuts, (values, sizes) => {
        const stream = concat(values.map((value) => encode(value)));
        expect(outcomesOf(open(), cut(stream, sizes))).toEqual(
          values.map((value) => JSON.stringify(value)),
        );
      }),
    );
  });

  it("gives one result for each message, good or bad, in order", () => {
    fc.assert(
      fc.property(fc.array(sent, { maxLength: 20 }), cuts, (messages, sizes) => {
        const stream = concat(messages.map(({ bytes }) => bytes));
        expect(outcomesOf(open(), cut(stream, sizes))).toEqual(
          messages.map(({ outcome }) => outcome),
        );
      }),
    );
  });

  it("reports a stream that was cut off, and only then", () => {
    fc.assert(
      fc.property(smallValue, fc.nat(), cuts, (value, seed, sizes) => {
        const whole = encode(value);
        const kept = seed % (whole.length + 1);
        const splitter = open();
        const found = outcomesOf(splitter, cut(whole.subarray(0, kept), sizes));
        expect(found).toHaveLength(kept === whole.length ? 1 : 0);
        expect(splitter.end()?.code).toBe(
          kept === 0 || kept === whole.length ? undefined : "connection_lost",
        );
      }),
    );
  });
});

/** Sizes of chunks, used in turn; an empty chunk is allowed. */
const cuts = fc
  .array(fc.integer({ min: 0, max: 300 }), { minLength: 1 })
  .filter((sizes) => sizes.some(Boolean));

function* cut(stream: Uint8Array, sizes: number[]): Generator<Uint8Array> {
  for (let at = 0, turn = 0; at < stream.length; turn += 1) {
    const size = sizes[turn % sizes.length]!;
    yield stream.subarray(at, at + size);
    at += size;
  }
}

function outcomesOf(splitter: Splitter, chunks: Iterable<Uint8Array>): string[] {
  const outcomes: string[] = [];
  for (const chunk of chunks) {
    for (const parsed of splitter.push(chunk).map(decode)) {
      outcomes.push(parsed.ok ? JSON.stringify(parsed.value) : parsed.error.code);
    }
  }
  return outcomes;
}

function concat(parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
