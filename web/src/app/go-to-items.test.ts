import { expect, test } from "vitest";
import type { Destination } from "./go-to-items.ts";
import { found } from "./go-to-items.ts";

const item = (kind: Destination["kind"], text: string, more = ""): Destination => ({
  kind,
  text,
  more,
  path: `/${text}`,
});

const all = [
  item("view", "Board"),
  item("agent", "coding_specialist", "ready"),
  item("task", "Write the code", "coding_specialist"),
  item("message", "挨拶のプログラムを書いてください", "boss → tester"),
];
const texts = (query: string): string[] => found(all, query).map(({ text }) => text);

test("`found` without a query lists views and agents", () => {
  expect(texts("  ")).toEqual(["Board", "coding_specialist"]);
});

test("`found` wants every word, in any case and order, what begins with it first", () => {
  expect(texts("COD")).toEqual(["coding_specialist", "Write the code"]);
  expect(texts("code write")).toEqual(["Write the code"]);
  expect(texts("code nothing")).toEqual([]);
});

test("`found` knows words without blanks, and wide forms of letters", () => {
  expect(texts("プログラム")).toEqual(["挨拶のプログラムを書いてください"]);
  expect(texts("ＢＯＡＲＤ")).toEqual(["Board"]);
});
