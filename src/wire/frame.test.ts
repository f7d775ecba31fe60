import { describe, expect, it } from "vitest";
import { encodeFrame, frameBytes, FrameSplitter } from "./frame.ts";
import { MAX_MESSAGE_BYTES } from "./json-payload.ts";
import { decode } from "./splitter.ts";
import { decodeUtf8, encodeUtf8 } from "./utf8.ts";

const bytesOf = (...bytes: number[]) => Uint8Array.from(bytes);

describe("encodeFrame", () => {
  it("writes the length as a big-endian uint32, then UTF-8", () => {
    expect(encodeFrame("é")).toEqual(bytesOf(0, 0, 0, 4, 0x22, 0xc3, 0xa9, 0x22));
    expect(encodeFrame("x".repeat(0x01_02_03 - 2)).subarray(0, 4)).toEqual(bytesOf(0, 1, 2, 3));
  });

  it("escapes the line separators", () => {
    expect(decodeUtf8(encodeFrame("\u2028\u2029").subarray(4))).toBe(String.raw`"\u2028\u2029"`);
  });

  it("refuses what encodeJson refuses", () => {
    expect(() => encodeFrame(undefined)).toThrow(/type undefined/);
    expect(() => encodeFrame("12345", 6)).toThrow(
      "A message of at least 7 bytes is over the limit",
    );
  });
});

describe("frameBytes", () => {
  it("frames bytes as they are, up to the exact maximum", () => {
    expect(frameBytes(bytesOf(0xff, 0x0a), 2)).toEqual(bytesOf(0, 0, 0, 2, 0xff, 0x0a));
    expect(frameBytes(bytesOf(1).subarray(1))).toEqual(bytesOf(0, 0, 0, 0));
    expect(() => frameBytes(bytesOf(1, 2, 3), 2)).toThrow(
      "A frame of 3 bytes is over the limit of 2 bytes.",
    );
  });
});

describe("FrameSplitter", () => {
  it("gives a message inside one chunk as a view of the chunk", () => {
    const chunk = encodeFrame("here");
    const [split] = new FrameSplitter().push(chunk);
    expect(split?.ok && split.bytes.buffer).toBe(chunk.buffer);
  });

  it("gives a message of several chunks in memory of its own", () => {
    const splitter = new FrameSplitter();
    const frame = encodeFrame("there");
    const chunk = frame.slice(0, 7);
    splitter.push(chunk);
    chunk.fill(0);
    expect(splitter.push(frame.subarray(7)).map(decode)).toEqual([{ ok: true, value: "there" }]);
  });

  it("accepts a frame of exactly the maximum", () => {
    const text = "x".repeat(MAX_MESSAGE_BYTES - 2);
    const splitter = new FrameSplitter();
    const frame = encodeFrame(text);
    const splits = [...splitter.push(frame.subarray(0, 99)), ...splitter.push(frame.subarray(99))];
    expect(splits.map((split) => split.ok && split.bytes.length)).toEqual([MAX_MESSAGE_BYTES]);
  });

  it("refuses one byte more by the header alone, skips it, and goes on", () => {
    const splitter = new FrameSplitter();
    const header = bytesOf(0x00, 0xa0, 0x00, 0x01);
    expect(splitter.push(header.subarray(0, 3))).toEqual([]);
    const [refused, ...others] = splitter.push(header.subarray(3));
    expect(others).toEqual([]);
    expect(refused).toMatchObject({
      ok: false,
      error: {
        code: "message_too_large",
        message: "A frame of 10485761 bytes is over the limit of 10485760 bytes.",
        data: { size: MAX_MESSAGE_BYTES + 1, limit: MAX_MESSAGE_BYTES },
      },
    });
    expect(splitter.push(new Uint8Array(MAX_MESSAGE_BYTES))).toEqual([]);
    expect(splitter.push(bytesOf(0))).toEqual([]);
    expect(splitter.push(encodeFrame(1)).map(decode)).toEqual([{ ok: true, value: 1 }]);
  });

  it("reads lengths over 2^31 as positive", () => {
    const [split] = new FrameSplitter().push(bytesOf(0xff, 0xff, 0xff, 0xff));
    expect(split).toMatchObject({ ok: false, error: { data: { size: 0xff_ff_ff_ff } } });
  });

  it("gives an empty frame as an empty message, which is invalid JSON", () => {
    const splits = new FrameSplitter().push(bytesOf(0, 0, 0, 0, 0, 0, 0, 1, 0x37));
    expect(splits.map((split) => split.ok && split.bytes.length)).toEqual([0, 1]);
    expect(splits.map(decode)).toMatchObject([
      { ok: false, error: { code: "parse_error" } },
      { ok: true, value: 7 },
    ]);
  });

  it("goes on after invalid UTF-8 and invalid JSON", () => {
    const stream = [bytesOf(0xff), encodeUtf8("{"), encodeUtf8("[]")].map((body) =>
      frameBytes(body),
    );
    const splitter = new FrameSplitter();
    expect(stream.flatMap((frame) => splitter.push(frame)).map(decode)).toMatchObject([
      { ok: false, error: { code: "parse_error" } },
      { ok: false, error: { code: "parse_error" } },
      { ok: true, value: [] },
    ]);
  });

  it.each([
    ["nowhere", [], undefined],
    ["after a frame", [0, 0, 0, 1, 0x31], undefined],
    ["inside a header", [0, 0, 0], "The stream ended inside the header of a frame."],
    ["after a header", [0, 0, 0, 2], "The stream ended after 0 of the 2 bytes of a frame."],
    ["inside a body", [0, 0, 0, 2, 0x31], "The stream ended after 1 of the 2 bytes of a frame."],
    ["inside a frame that was refused", [0, 0, 0, 10, 0x31], undefined],
  ])("reports a stream that ends %s", (_, bytes, message) => {
    const splitter = new FrameSplitter(9);
    splitter.push(Uint8Array.from(bytes));
    const error = splitter.end();
    expect(error?.message).toBe(message);
    expect(error?.code).toBe(message && "connection_lost");
  });
});
