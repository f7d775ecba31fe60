import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import type { JsonObject } from "../../wire/json.ts";
import { FileChangeSchema } from "../../wire/session/file-change.ts";
import { proposedChanges } from "./proposed-changes.ts";

function stage(content?: string | Uint8Array) {
  const directory = tempDir();
  const path = join(directory, "file");
  if (content !== undefined) writeFileSync(path, content);
  const propose = (tool: string, input: JsonObject) => {
    const [change] = proposedChanges({ tool, input }, directory) ?? [];
    return change && FileChangeSchema.parse(change);
  };
  const edit = (old_string: string, new_string: string, more: JsonObject = {}) =>
    propose("Edit", { file_path: path, old_string, new_string, ...more });
  return { directory, path, propose, edit };
}

test("[SES-70] an Edit is shown with the line numbers of the file as it is", () => {
  const { edit, path } = stage("one\r\ntwo\r\nthree\r\n");
  expect(edit("two", "2")).toEqual({
    path,
    kind: "edit",
    added: 1,
    removed: 1,
    hunks: [
      {
        old_start: 1,
        old_lines: 3,
        new_start: 1,
        new_lines: 3,
        lines: [" one", "-two", "+2", " three"],
      },
    ],
  });
});

test("[SES-74] an Edit that Claude Code will refuse says why, and shows no hunks", () => {
  const { edit, path } = stage("a\nb\na\n");
  expect(edit("x", "y")).toEqual({ path, kind: "edit", problem: "no_match" });
  expect(edit("a", "y")).toEqual({ path, kind: "edit", problem: "several_matches" });
  expect(edit("a", "$&", { replace_all: true })).toMatchObject({
    added: 2,
    removed: 2,
    hunks: [{ lines: ["-a", "+$&", " b", "-a", "+$&"] }],
  });
  expect(edit("", "y")).toEqual({ path, kind: "edit", problem: "exists" });
});

test("[SES-70] an Edit that removes a text removes its line, and `$&` in the new text is plain text", () => {
  const { edit } = stage("a\nb\nc\n");
  expect(edit("b", "")).toMatchObject({ hunks: [{ lines: [" a", "-b", " c"] }] });
  expect(edit("b", "$&$1")).toMatchObject({ hunks: [{ lines: [" a", "-b", "+$&$1", " c"] }] });
});

test("[SES-70] an Edit with straight quotes fits curly ones and gets curly ones, as Claude Code does it", () => {
  const { edit } = stage("“It’s,” he said\n");
  expect(edit(`"It's," he`, `"It wasn't 'so'," she`)).toMatchObject({
    hunks: [{ lines: ["-“It’s,” he said", "+“It wasn’t ‘so’,” she said"] }],
  });
});

test("[SES-70] a Write over a file shows what goes, and one to a new file is told apart", () => {
  const { propose, path, directory } = stage("one\ntwo\n");
  expect(propose("Write", { file_path: path, content: "one\n2\n" })).toMatchObject({
    kind: "edit",
    hunks: [{ lines: [" one", "-two", "+2"] }],
  });
  const fresh = join(directory, "no/such/file");
  expect(propose("Write", { file_path: fresh, content: "x\n" })).toEqual({
    path: fresh,
    kind: "add",
    added: 1,
    removed: 0,
    hunks: [{ old_start: 0, old_lines: 0, new_start: 1, new_lines: 1, lines: ["+x"] }],
  });
  expect(propose("Write", { file_path: "file", content: "one\ntwo\n" })).toMatchObject({
    path,
    hunks: [],
  });
});

test("[SES-74] a file that cannot be compared is not: it says so at once", () => {
  const { edit, path, propose, directory } = stage(Buffer.from([0x61, 0, 0x62]));
  expect(edit("a", "b")).toEqual({ path, kind: "edit", problem: "binary" });
  writeFileSync(path, Buffer.from([0xff, 0xc0]));
  expect(edit("a", "b")).toMatchObject({ problem: "binary" });
  writeFileSync(path, Buffer.from("\ufeffa\n", "utf16le"));
  expect(edit("a", "b")).toMatchObject({ hunks: [{ lines: ["-a", "+b"] }] });
  writeFileSync(path, "a".repeat(3_000_000));
  expect(edit("a", "b")).toMatchObject({ problem: "too_large" });
  mkdirSync(join(directory, "folder"));
  execFileSync("python3", [
    "-c",
    "import os, sys; os.mkfifo(sys.argv[1])",
    join(directory, "pipe"),
  ]);
  for (const name of ["folder", "pipe", "/dev/zero"]) {
    const input = { file_path: resolve(directory, name), content: "x" };
    expect(propose("Write", input)).toMatchObject({ problem: "unreadable" });
  }
  if (process.getuid?.() === 0) return;
  chmodSync(path, 0);
  expect(edit("a", "b")).toMatchObject({ problem: "unreadable" });
});

test("[SES-70] a NotebookEdit shows the source of its cell", () => {
  const cells = [
    { cell_type: "code", id: "x1", source: ["a = 1\n", "b = 2"] },
    { cell_type: "markdown", source: "# Title" },
  ];
  const { propose, path } = stage(JSON.stringify({ cells }));
  const edit = (more: JsonObject) => propose("NotebookEdit", { notebook_path: path, ...more });
  expect(edit({ cell_id: "x1", new_source: "a = 1\nb = 3" })).toMatchObject({
    path,
    kind: "edit",
    cell: { id: "x1", edit: "replace" },
    hunks: [{ lines: [" a = 1", "-b = 2", expect.anything(), "+b = 3", expect.anything()] }],
  });
  expect(edit({ cell_id: "cell-1", new_source: "", edit_mode: "delete" })).toMatchObject({
    cell: { edit: "delete" },
    removed: 1,
  });
  expect(edit({ new_source: "x", edit_mode: "insert" })).toMatchObject({ added: 1, removed: 0 });
  expect(edit({ cell_id: "none", new_source: "x" })).toMatchObject({ problem: "no_match" });
});

test("[SES-70] other tools, and inputs that are not what they should be, show no changes", () => {
  const { propose } = stage("a");
  expect(propose("Bash", { command: "rm file" })).toBeUndefined();
  expect(propose("Write", { file_path: 7, content: "a" })).toBeUndefined();
  expect(propose("Write", { file_path: "file", content: { blob: "b" } })).toBeUndefined();
  expect(propose("Edit", { file_path: "a\0b", old_string: "a", new_string: "b" })).toMatchObject({
    problem: "unreadable",
  });
});

test("[SES-74] a failure to compare does not reach the request", () => {
  const input = Object.defineProperty({}, "file_path", {
    get: () => {
      throw new Error("broken");
    },
  });
  expect(proposedChanges({ tool: "Write", input }, "/")).toBeUndefined();
});
