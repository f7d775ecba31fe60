import { expect, test } from "vitest";
import type { SessionEvent } from "../../wire/session-events.ts";
import { noPaint } from "./paint.ts";
import { Transcript } from "./transcript.ts";

const event = (fields: object): SessionEvent => ({ seq: 1, at: "", ...fields }) as SessionEvent;

const prints = (request_id: string, text: string, more: object = {}): SessionEvent =>
  event({ type: "tool_output_delta", request_id, text, ...more });

test("of a running command the last rows are shown, as a terminal would show them, until its result", () => {
  const transcript = new Transcript(noPaint, () => 40);
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
