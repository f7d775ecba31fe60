import { expect, it } from "vitest";
import { decodeNamedCharacterReference } from "./named-characters.ts";

it("knows the names of its table, and no others", () => {
  expect(
    ["amp", "lt", "copy", "euro", "nbsp", "Alpha", "hearts", "Tab"].map(
      decodeNamedCharacterReference,
    ),
  ).toEqual(["&", "<", "©", "€", "\u00a0", "Α", "♥", "\t"]);
  expect(["nosuch", "AMPX", "__proto__", ""].map(decodeNamedCharacterReference)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});
