import { describe, expect, it } from "vitest";
import { PartialMessage } from "./partial-message.ts";

const bytesOf = (...bytes: number[]) => Uint8Array.from(bytes);

describe("PartialMessage", () => {
  it("gives the last part itself when there is no beginning", () => {
    const last = bytesOf(1, 2);
    expect(new PartialMessage().completeWith(last)).toBe(last);
  });

  it("puts the parts together in memory of its own", () => {
    const partial = new PartialMessage();
    const chunk = bytesOf(1, 2, 3);
    partial.append(chunk, 10);
    chunk.fill(9);
    partial.append(bytesOf(4), 10);
    expect(partial).toHaveLength(4);
    expect(partial.completeWith(bytesOf(5, 6))).toEqual(bytesOf(1, 2, 3, 4, 5, 6));
    expect(partial).toHaveLength(0);
  });

  it("never writes again into a message that it gave away", () => {
    const partial = new PartialMessage();
    partial.append(bytesOf(1, 2), 10);
    const first = partial.completeWith(bytesOf(3));
    partial.append(bytesOf(7, 8), 10);
    partial.completeWith(bytesOf(9));
    expect(first).toEqual(bytesOf(1, 2, 3));
  });

  it("takes no more memory than the message can need", () => {
    const partial = new PartialMessage();
    for (let count = 0; count < 99; count += 1) partial.append(bytesOf(count), 100);
    expect(partial.completeWith(bytesOf(99)).buffer.byteLength).toBe(100);
  });

  it("takes memory for what arrived, not for what was announced", () => {
    const partial = new PartialMessage();
    partial.append(bytesOf(1, 2, 3), 1_000_000);
    expect(partial.completeWith(bytesOf(4)).buffer.byteLength).toBeLessThan(100);
  });

  it("forgets what it is told to discard", () => {
    const partial = new PartialMessage();
    partial.append(bytesOf(1), 10);
    partial.discard();
    expect(partial.completeWith(bytesOf(2))).toEqual(bytesOf(2));
  });
});
