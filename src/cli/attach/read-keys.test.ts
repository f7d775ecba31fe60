import { expect, test } from "vitest";
import { KeyReader } from "./read-keys.ts";
import { LineEditor } from "./line-editor.ts";

const names = (chunks: string[]): string[] => {
  const reader = new KeyReader();
  return chunks
    .flatMap((chunk) => reader.push(chunk))
    .map((key) => (key.name === "text" ? `${key.isPaste ? "pasted " : ""}${key.text}` : key.name));
};

test("KeyReader reads keys, also when their sequences come in pieces", () => {
  expect(names(["hi\r"])).toEqual(["hi", "enter"]);
  expect(names(["\u001b[A\u001b[Dx\u007f"])).toEqual(["up", "left", "x", "backspace"]);
  expect(names(["\u001b[", "A"])).toEqual(["up"]);
  expect(names(["\u001b\r", "\n"])).toEqual(["newline", "newline"]);
  expect(names(["\u001b[15~\u001b[1;5C\u0007ü漢"])).toEqual(["ü漢"]);
  expect(names(["\u0003\u0004\t"])).toEqual(["interrupt", "eof", "tab"]);
});

test("KeyReader reads Esc as a key when nothing follows, and otherwise as the start of a sequence", () => {
  const reader = new KeyReader();
  expect(reader.push("\u001b")).toEqual([]);
  expect(reader.isWaiting).toBe(true);
  expect(reader.push("[A")).toEqual([{ name: "up" }]);
  expect(reader.isWaiting).toBe(false);
  expect(reader.flush()).toEqual([]);
  reader.push("\u001b");
  expect(reader.flush()).toEqual([{ name: "escape" }]);
  expect(reader.push("\u001b\u001b")).toEqual([{ name: "escape" }]);
  expect(reader.flush()).toEqual([{ name: "escape" }]);
  // Alt-[ is no key of ours, and must not take the next one along.
  reader.push("\u001b[");
  expect(reader.flush()).toEqual([]);
  expect(reader.push("x")).toEqual([{ name: "text", text: "x", isPaste: false }]);
});

test("KeyReader reads pasted text as text, line ends included", () => {
  expect(names(["\u001b[200~a\rb\u0003\u001b[201~c"])).toEqual(["pasted a\nb\u0003", "c"]);
  expect(names(["\u001b[200~a", "b\u001b[20", "1~\r"])).toEqual(["pasted ab", "enter"]);
});

test("LineEditor edits a line", () => {
  const editor = new LineEditor();
  const type = (...chunks: string[]): (string | undefined)[] => {
    const reader = new KeyReader();
    return chunks.flatMap((chunk) => reader.push(chunk)).map((key) => editor.press(key));
  };
  type("held", "\u001b[D", "l", "\u001b[C", " wörld");
  expect(editor.text).toBe("helld wörld");
  type("\u0001", "\u001b[3~", "H");
  expect([editor.text, editor.textBeforeCursor]).toEqual(["Helld wörld", "H"]);
  type("\u0005", "\u0017");
  expect(editor.text).toBe("Helld ");
  expect(type("\u0015", "first", "\r")).toContain("first");
  expect(type("second", "\r")).toContain("second");
  type("draft", "\u001b[A", "\u001b[A");
  expect(editor.text).toBe("first");
  type("\u001b[B", "\u001b[B");
  expect(editor.text).toBe("draft");
  type("\u001b[200~x\u001b[2Jy\u0007\u001b[201~");
  expect(editor.text).toBe("draftxy");
});
