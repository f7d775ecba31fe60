// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { commandKey, isComposing, isTextField } from "./key-press.ts";

const press = (key: string, init: KeyboardEventInit = {}): KeyboardEvent =>
  new KeyboardEvent("keydown", { key, ...init });

function pressIn(element: HTMLElement, key: string): string | undefined {
  document.body.replaceChildren(element);
  let told: string | undefined;
  element.addEventListener("keydown", (event) => (told = commandKey(event)));
  element.dispatchEvent(press(key, { bubbles: true }));
  return told;
}

function fieldOf(tag: string, type?: string): HTMLElement {
  const field = document.createElement(tag);
  if (type !== undefined) field.setAttribute("type", type);
  return field;
}

test("`commandKey` takes a letter that is pressed once and alone, in lower case", () => {
  expect(commandKey(press("y"))).toBe("y");
  expect(commandKey(press("Y", { shiftKey: true }))).toBe("y");
  for (const init of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }, { repeat: true }]) {
    expect(commandKey(press("y", init))).toBeUndefined();
  }
  expect(commandKey(press("Enter"))).toBeUndefined();
});

test("`commandKey` takes nothing in a text field, and takes letters at a button", () => {
  const fields = [
    fieldOf("textarea"),
    fieldOf("input"),
    fieldOf("input", "search"),
    fieldOf("select"),
  ];
  for (const field of fields) expect(pressIn(field, "y")).toBeUndefined();
  const written = fieldOf("div");
  written.setAttribute("contenteditable", "true");
  expect(pressIn(written, "y")).toBeUndefined();
  expect(pressIn(fieldOf("button"), "y")).toBe("y");
  expect(pressIn(fieldOf("input", "radio"), "y")).toBe("y");
  expect(isTextField(null)).toBe(false);
});

test("`isComposing` says so while an input method has the key, and for a tick after it has ended", async () => {
  expect(isComposing(press("Enter", { isComposing: true }))).toBe(true);
  expect(isComposing(press("Enter", { keyCode: 229 }))).toBe(true);
  expect(isComposing(press("Enter"))).toBe(false);
  document.dispatchEvent(new Event("compositionend"));
  expect(isComposing(press("Enter"))).toBe(true);
  expect(commandKey(press("y"))).toBeUndefined();
  await new Promise((done) => setTimeout(done, 1));
  expect(isComposing(press("Enter"))).toBe(false);
});
