import { expect, test } from "vitest";
import { enveloped } from "./enveloped.ts";

const mark = "ac4a524aac3d649d1d362bdd";
const wrap = (content: string): string =>
  `Message from boss, an agent of your team.\ntype: info\n----- ${mark} -----\n${content}\n----- ${mark} -----\nDo what it asks.`;

test("`enveloped` gives what the other agent wrote, and what stands around it", () => {
  expect(enveloped(wrap("one\ntwo"))).toEqual({
    content: "one\ntwo",
    envelope: expect.stringContaining("Do what it asks."),
  });
});

test("`enveloped` is not led astray by a content that looks like an end", () => {
  const content = "first\n----- 0123456789abcdef -----\nlast";
  expect(enveloped(wrap(content))?.content).toBe(content);
});

test("`enveloped` leaves other texts alone", () => {
  expect(enveloped("A line\n----- what -----\nand more")).toBeUndefined();
  expect(enveloped(`----- ${mark} -----\nwithout an end`)).toBeUndefined();
});
