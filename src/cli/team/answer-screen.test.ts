import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { TeamItem } from "../../team/core.ts";
import { AnswerScreen } from "./answer-screen.ts";

/** What a person sees of an answer to the message `m`, on a pipe. */
function screenOf(): { screen: AnswerScreen; printed: () => string } {
  const out = new PassThrough();
  return { screen: new AnswerScreen("m", "boss", out), printed: () => String(out.read() ?? "") };
}

const item = (type: string, more: object = {}): TeamItem =>
  ({ type, agent: "boss", turn_id: "t", ...more }) as unknown as TeamItem;
const began = item("turn_started", { messages: ["m"] });
const delta = (text: string): TeamItem => item("delta", { text });
const called = (tool: string, summary: string): TeamItem => item("tool_called", { tool, summary });

test("AnswerScreen shows texts and calls on lines of their own, and the answer once", () => {
  const { screen, printed } = screenOf();
  for (const each of [began, delta("I ask "), delta("the coder."), called("Bash", "ls")]) {
    screen.take(each);
  }
  screen.take(delta("Reviewed."));
  screen.conclude("Reviewed.");
  expect(printed()).toBe("I ask the coder.\n[Bash] ls\nReviewed.\n");
});

test("AnswerScreen begins a new line after a lost connection, and then prints the whole answer that has a gap", () => {
  const { screen, printed } = screenOf();
  for (const each of [began, delta("I ask the coder.")]) screen.take(each);
  screen.breakOff();
  screen.take(delta("Now the tester."));
  screen.breakOff();
  screen.breakOff();
  screen.conclude("Reviewed.");
  expect(printed()).toBe("I ask the coder.\nNow the tester.\nReviewed.\n");
});
