import { expect, test } from "vitest";
import { cutText } from "./cut-text.ts";

test("`cutText` leaves a text alone that fits", () => {
  expect(cutText("12345678", 8)).toBeUndefined();
});

test("`cutText` keeps both ends, and counts what is missing", () => {
  expect(cutText("abcdefghij", 4)).toEqual({ head: "ab", tail: "ij", omitted: 6 });
});

test("`cutText` cuts no character in two", () => {
  const cut = cutText("a\u{1F600}bcdef\u{1F600}z", 4);
  expect(cut).toEqual({ head: "a", tail: "z", omitted: 9 });
});
