import { expect, it } from "vitest";
import { takeMemory } from "./byte-slab.ts";

it("never gives two callers the same memory", () => {
  const sizes = [0, 1, 100, 4096, 4097, 70_000];
  const pieces = Array.from({ length: 500 }, (_, count) =>
    takeMemory(sizes[count % sizes.length] ?? 0),
  );
  for (const [index, piece] of pieces.entries()) {
    expect(piece.every((byte) => byte === 0)).toBe(true);
    piece.fill(1 + (index % 255));
  }
  for (const [index, piece] of pieces.entries()) {
    expect(piece).toHaveLength(sizes[index % sizes.length] ?? 0);
    expect(piece.every((byte) => byte === 1 + (index % 255))).toBe(true);
  }
});
