import { expect, test } from "vitest";
import type { Frame } from "./frame.ts";
import { decodeFrame, encodeFrame, nextSeq } from "./frame.ts";

const body = Buffer.from("äöü");
const frames: Frame[] = [
  { type: "open", body },
  { type: "ok", window: 524_288 },
  { type: "no", body },
  { type: "data", seq: 4_294_967_295, body },
  { type: "credit", granted: 2 ** 48 - 1 },
  { type: "end", seq: 7 },
  { type: "reset" },
];

test.each(frames)("decodeFrame returns what encodeFrame was given: $type", (frame) => {
  expect(decodeFrame(encodeFrame(frame))).toEqual(
    "body" in frame ? { ...frame, body: Buffer.from(body) } : frame,
  );
});

test.each([[[]], [[4, 0, 0]], [[99, 0, 0, 0, 0]], [[5, 0, 0, 0, 0, 1]]])(
  "decodeFrame returns undefined for bytes that are no frame: %j",
  (bytes) => {
    expect(decodeFrame(Uint8Array.from(bytes))).toBeUndefined();
  },
);

test("nextSeq begins again after the largest number of four bytes", () => {
  expect([nextSeq(0), nextSeq(4_294_967_295)]).toEqual([1, 0]);
});
