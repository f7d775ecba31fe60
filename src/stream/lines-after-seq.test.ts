import { expect, test } from "vitest";
import { linesAfter } from "./lines-after-seq.ts";

const batch = { firstSeq: 5, lastSeq: 7, bytes: new TextEncoder().encode("five\nsix\nseven\n") };

test.each([
  [4, "five\nsix\nseven\n"],
  [5, "six\nseven\n"],
  [6, "seven\n"],
  [7, ""],
])("after %i", (seq, text) => {
  expect(new TextDecoder().decode(linesAfter(batch, seq))).toBe(text);
});
