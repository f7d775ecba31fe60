// @vitest-environment happy-dom
import { expect, test } from "vitest";
import type { SendKey } from "../../state/preferences.ts";
import { sends } from "./send-rule.ts";

const press = (init: KeyboardEventInit & { keyCode?: number } = {}): KeyboardEvent =>
  new KeyboardEvent("keydown", { key: "Enter", ...init });

test.each<[SendKey, KeyboardEventInit, boolean]>([
  ["enter", {}, true],
  ["enter", { shiftKey: true }, false],
  ["enter", { ctrlKey: true }, true],
  ["enter", { key: "a" }, false],
  ["ctrl-enter", {}, false],
  ["ctrl-enter", { ctrlKey: true }, true],
  ["ctrl-enter", { metaKey: true }, true],
  ["ctrl-enter", { ctrlKey: true, shiftKey: true }, false],
])("`sends` with the setting %s and the press %j is %s", (sendKey, init, isSent) => {
  expect(sends(press(init), sendKey)).toBe(isSent);
});

test("`sends` is false for the Enter that ends a composition, whatever the setting", () => {
  expect(sends(press({ isComposing: true }), "enter")).toBe(false);
  expect(sends(press({ isComposing: true, ctrlKey: true }), "ctrl-enter")).toBe(false);
});
