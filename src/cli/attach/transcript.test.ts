import { expect, test } from "vitest";
import type { SessionEvent } from "../../wire/session/events.ts";
import { noPaint } from "./paint.ts";
import { TranscriptPrinter } from "./transcript.ts";

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
  expect(rows({ type: "tool_use", ...call })).toEqual(["● Write  /a", "    + hello"]);
  expect(rows({ type: "approval_request", ...call, scopes: [] })).toEqual([]);
  const input = { file_path: "/a", content: "changed by a hook" };
  expect(rows({ type: "approval_request", ...call, input, scopes: [] })).toEqual([
    "● Write  /a",
    "    + changed by a hook",
  ]);
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
