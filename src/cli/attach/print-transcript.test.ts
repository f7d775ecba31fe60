import { expect, test } from "vitest";
import type { SessionEvent } from "../../wire/session/events.ts";
import { noPaint } from "./terminal-formats.ts";
import { TranscriptPrinter } from "./print-transcript.ts";

const event = (fields: object): SessionEvent => ({ seq: 1, at: "", ...fields }) as SessionEvent;

const prints = (request_id: string, text: string, more: object = {}): SessionEvent =>
  event({ type: "tool_output_delta", request_id, text, ...more });

test("the last rows of a running command are shown, as a terminal would, until its result", () => {
  const transcript = new TranscriptPrinter(noPaint, () => 40, false);
  const rows = (shown: SessionEvent): readonly string[] => transcript.take(shown).growing;
  transcript.take(event({ type: "tool_use", request_id: "r", tool: "Bash", input: {} }));
  expect(rows(prints("r", "1\n2\n3\n4\n5\n"))).toEqual(["    2", "    3", "    4", "    5"]);
  expect(rows(prints("r", " 10%\r 20%\r"))).toEqual(["    3", "    4", "    5", "    20%"]);
  expect(rows(prints("r", " 30%\r\nno \u001b[2Jharm\n")).slice(-2)).toEqual([
    "    30%",
    "    no harm",
  ]);
  expect(rows(prints("other", "else"))).toEqual(["    else"]);
  const { finished, growing } = transcript.take(
    event({ type: "tool_result", request_id: "r", output: "built", is_error: false }),
  );
  expect(finished).toEqual(["  └ built"]);
  expect(growing).toEqual([]);
  expect(rows(prints("r", "runs on"))).toEqual(["    runs on"]);
  expect(rows(prints("r", "", { ended: true }))).toEqual([]);
});

test("a request is shown once, and again when it has changed", () => {
  const transcript = new TranscriptPrinter(noPaint, () => 40, false);
  const call = { request_id: "r", tool: "Write", input: { file_path: "/a", content: "hello" } };
  const rows = (fields: object): readonly string[] => transcript.take(event(fields)).finished;
  expect(rows({ type: "tool_use", ...call })).toEqual(["● Write  /a"]);
  expect(rows({ type: "approval_request", ...call, scopes: [] })).toEqual(["    + hello"]);
  expect(rows({ type: "approval_request", ...call, scopes: [] })).toEqual([]);
  const input = { file_path: "/b", content: "changed by a hook" };
  expect(rows({ type: "approval_request", ...call, input, scopes: [] })).toEqual([
    "● Write  /b",
    "    + changed by a hook",
  ]);
  const result = { type: "tool_result", request_id: "r", output: "ok", is_error: false };
  expect(rows(result)).toEqual(["  └ ok"]);
});

const hunk = { old_start: 9, old_lines: 2, new_start: 9, new_lines: 2 };
const change = {
  path: "/a",
  kind: "edit",
  added: 1,
  removed: 1,
  hunks: [{ ...hunk, lines: [" same", "-old \u001b[2J", "+new"] }],
};
const edit = {
  request_id: "r",
  tool: "Edit",
  input: { file_path: "/a", old_string: "old", new_string: "new" },
};
const diff = ["    +1 -1", "     9   same", "    10 - old", "    10 + new"];

test("what a call changes is shown with line numbers before a person allows it, and its result does not repeat it", () => {
  const transcript = new TranscriptPrinter(noPaint, () => 40, false);
  const rows = (fields: object): readonly string[] => transcript.take(event(fields)).finished;
  expect(rows({ type: "tool_use", ...edit })).toEqual(["● Edit  /a"]);
  expect(rows({ type: "approval_request", ...edit, scopes: [], changes: [change] })).toEqual(diff);
  const result = { type: "tool_result", request_id: "r", output: "ok", is_error: false };
  expect(rows({ ...result, changes: [change] })).toEqual(["  └ ok"]);
});

test("a result shows what has changed if no person was asked, or if it differs from what was asked; a failed one does not", () => {
  const transcript = new TranscriptPrinter(noPaint, () => 40, false);
  const rows = (fields: object): readonly string[] => transcript.take(event(fields)).finished;
  const result = { type: "tool_result", request_id: "r", output: "ok", is_error: false };
  transcript.take(event({ type: "tool_use", ...edit }));
  expect(rows({ ...result, changes: [change] })).toEqual([...diff, "  └ ok"]);
  transcript.take(event({ type: "tool_use", ...edit }));
  transcript.take(event({ type: "approval_request", ...edit, scopes: [], changes: [change] }));
  const other = { ...change, hunks: [{ ...hunk, lines: ["+else"] }] };
  expect(rows({ ...result, changes: [other] })).toContain("     9 + else");
  transcript.take(event({ type: "tool_use", ...edit }));
  expect(rows({ ...result, is_error: true })).toEqual(["  └ ok"]);
  // An older session does not report changes.
  transcript.take(event({ type: "tool_use", ...edit }));
  expect(rows(result)).toEqual(["    - old", "    + new", "  └ ok"]);
});

test("a long change is cut, and can be shown in full; what cannot be compared is shown as it was asked", () => {
  const transcript = new TranscriptPrinter(noPaint, () => 40, false);
  const lines = Array.from({ length: 60 }, (_, n) => `+line ${n + 1}`);
  const long = {
    ...change,
    kind: "add",
    added: 60,
    removed: 0,
    hunks: [{ old_start: 0, old_lines: 0, new_start: 1, new_lines: 60, lines }],
  };
  const asked = { type: "approval_request", ...edit, scopes: [] };
  const rows = (changes: object[]): readonly string[] =>
    transcript.take(event({ ...asked, changes })).finished;
  const shown = rows([long]);
  expect(shown).toHaveLength(43);
  expect(shown.slice(1, 3)).toEqual(["    new file  +60 -0", "     1 + line 1"]);
  expect(shown.at(-1)).toBe("    … 60 changed lines in all: /show 1");
  expect(transcript.outputs.get(1)).toContain("60 + line 60");
  const patch = { blob: "b", bytes: 9, preview: "" };
  rows([{ ...long, truncated: true, patch }]);
  expect(transcript.outputs.get()).toEqual(patch);
  const unknown = rows([{ path: "/a", kind: "edit", problem: "binary" }]);
  expect(unknown.join("\n")).toContain("No preview: the file is no text.");
  expect(unknown).toContain('    old_string: "old"');
});

test("earlier messages are shown like those of the log", () => {
  const transcript = new TranscriptPrinter(noPaint, () => 60, false);
  const messages = [
    { role: "user", text: "remember 42" },
    { role: "assistant", text: "I **will**.\nTruly." },
  ];
  expect(transcript.take(event({ type: "earlier", messages, omitted: 3 })).finished).toEqual([
    "… 3 older messages are not shown",
    "",
    "› remember 42",
    "",
    "● I will.",
    "  Truly.",
    "  — said before; the session goes on here —",
  ]);
});

test("an event of which nothing is shown does not cut a running text in two", () => {
  const transcript = new TranscriptPrinter(noPaint, () => 40, false);
  const says = (text: string): SessionEvent =>
    event({ type: "text_delta", turn_id: "t1", block: 0, text });
  transcript.take(says("one "));
  transcript.take(event({ type: "message_seen", id: "m1" }));
  expect(transcript.take(says("two")).growing).toEqual(["● one two"]);
});
