import { expect, test, vi } from "vitest";
import type { PendingRequest } from "../../wire/session/approval-events.ts";
import { noPaint } from "./terminal-formats.ts";
import { RequestPrompt } from "./request-prompt.ts";
import { QuestionForm } from "./request-choices.ts";
import { callLine, diffRows, resultLine, wholeCall } from "./tool-call-lines.ts";

const at = "2026-01-01T00:00:00.000Z";
const approval: PendingRequest = {
  type: "approval_request",
  seq: 1,
  at,
  request_id: "r",
  tool: "Bash",
  input: { command: "rm x" },
  scopes: [
    { scope: "once", label: "Yes" },
    { scope: "always", label: "Always rm" },
  ],
};
const text = (value: string, isPaste = false) => ({ name: "text", text: value, isPaste }) as const;

const promptFor = (request: PendingRequest, isWriting = false): RequestPrompt => {
  const clock = vi.spyOn(performance, "now").mockReturnValue(0);
  const prompt = new RequestPrompt(request, isWriting);
  clock.mockReturnValue(1_000);
  return prompt;
};

test("a single key decides", () => {
  const prompt = promptFor(approval);
  expect(prompt.rows(noPaint, 80)).toEqual([
    "Allow Bash  rm x?",
    "y Yes · a Always rm · c change it first · n no · e no, and say why · Tab write a",
    "  message instead",
  ]);
  expect(prompt.press(text("y"))).toEqual({ type: "approve", options: { scope: "once" } });
  expect(prompt.press(text("A"))).toEqual({ type: "approve", options: { scope: "always" } });
  expect(prompt.press(text("n"))).toEqual({ type: "deny", options: {} });
  // This call cannot be allowed for a session.
  expect(prompt.press(text("s"))).toBe("used");
});

test("a notice that asks is answered with yes or no", () => {
  const message = "Another program has written to this session.";
  const notice = { type: "notice", code: "foreign_writer", seq: 1, at, message } as const;
  const prompt = promptFor({ ...notice, request_id: "foreign_1" });
  expect(prompt.rows(noPaint, 80)).toEqual([
    message,
    "y yes, go on · n no, drop what waits · Tab write a message instead",
  ]);
  expect(prompt.press(text("y"))).toEqual({ type: "approve", options: {} });
  expect(prompt.press(text("n"))).toEqual({ type: "deny", options: {} });
});

test("a reason is one line, and can be cancelled", () => {
  const prompt = promptFor(approval);
  expect(prompt.press(text("e"))).toBe("used");
  expect(prompt.takesLine).toBe(true);
  expect(prompt.stepBack()).toBe(true);
  expect(prompt.takesLine).toBe(false);
  prompt.press(text("e"));
  expect(prompt.enter(" too wild ")).toEqual({ type: "deny", options: { reason: "too wild" } });
});

test("a call can be edited before it is allowed; an invalid input allows nothing", () => {
  const prompt = promptFor(approval);
  expect(prompt.press(text("c"))).toBe("used");
  expect([prompt.takesLine, prompt.draft]).toEqual([true, "rm x"]);
  expect(prompt.stepBack()).toBe(true);
  expect([prompt.takesLine, prompt.draft]).toEqual([false, ""]);
  prompt.press(text("c"));
  expect(prompt.enter("rm -i x")).toEqual({
    type: "approve",
    options: { updatedInput: { command: "rm -i x" } },
  });

  const input = { file_path: "/a", content: "x" };
  const write = promptFor({ ...approval, tool: "Write", input });
  write.press(text("c"));
  expect(write.draft).toBe(JSON.stringify(input));
  expect(write.enter("{")).toBeUndefined();
  expect(write.rows(noPaint, 80).at(-1)).toContain("no JSON object");
  expect(write.enter('{"file_path":"/b","content":"x"}')).toMatchObject({
    options: { updatedInput: { file_path: "/b" } },
  });
});

test("a call that is incomplete or not shown as it is cannot be edited", () => {
  const blob = { blob: "b1", bytes: 300_000, preview: "x" };
  for (const input of [{ content: blob }, { command: "a\u202eb" }]) {
    const prompt = promptFor({ ...approval, input });
    expect(prompt.press(text("c"))).toBe("used");
    expect(prompt.takesLine).toBe(false);
  }
});

test("letters typed for a message do not allow a request", () => {
  const writing = promptFor(approval, true);
  expect(writing.press(text("y"))).toBeUndefined();
  writing.toggle();
  expect(writing.press(text("y"))).toMatchObject({ type: "approve" });
  const early = promptFor(approval);
  vi.spyOn(performance, "now").mockReturnValue(100);
  expect(early.press(text("y"))).toBeUndefined();
  vi.spyOn(performance, "now").mockReturnValue(2_000);
  expect(early.press(text("y"))).toBeUndefined();
  expect(promptFor(approval).press(text("y", true))).toBeUndefined();
  // Some terminals hand on a paste as if it had been typed.
  const pasted = promptFor(approval);
  expect(pasted.press(text("yes, but"))).toBeUndefined();
  expect(pasted.rows(noPaint, 80)).toEqual(["Allow Bash  rm x?", "Tab to answer"]);
});

test("the prompt shows in full what a choice would allow", () => {
  const rule = `Always allow Bash(${"rm ".repeat(40)}-rf /)`;
  const scopes = [
    { scope: "once", label: "Yes" } as const,
    { scope: "always", label: `${rule}\u001b[2K` } as const,
  ];
  const [, ...rows] = promptFor({ ...approval, scopes }).rows(noPaint, 60);
  expect(rows.slice(0, -2).join(" ").replaceAll(/ +/g, " ")).toBe(`a ${rule}`);
  expect(rows.slice(-2)).toEqual([
    "y Yes · c change it first · n no · e no, and say why · Tab",
    "  write a message instead",
  ]);
});

test("several questions are answered one after the other", () => {
  const options = [{ label: "Red" }, { label: "Blue" }];
  const form = new QuestionForm([
    { question: "One?", options, multi: false },
    { question: "Many?", options, multi: true },
    { question: "Free?", options, multi: true },
  ]);
  expect(form.rows(noPaint)[0]).toBe("One? (1 of 3)");
  expect(form.answer("")).toBeUndefined();
  expect(form.answer("2")).toBeUndefined();
  expect(form.answer("1, 2")).toBeUndefined();
  expect(form.answer("7 of them")).toEqual({
    "One?": "Blue",
    "Many?": ["Red", "Blue"],
    "Free?": "7 of them",
  });
});

test("a number without a choice is refused, and the question stays", () => {
  const options = [{ label: "Red" }, { label: "Blue" }];
  const one = new QuestionForm([{ question: "One?", options, multi: false }]);
  const none = { code: "invalid_params", hint: "Give a number from 1 to 2, or words." };
  for (const line of ["7", "0"])
    expect(() => one.answer(line)).toThrow(expect.objectContaining(none));
  expect(one.answer('"7"')).toEqual({ "One?": '"7"' });
  const many = new QuestionForm([{ question: "Many?", options, multi: true }]);
  expect(() => many.answer("1, 3")).toThrow("3 is not one of the choices.");
  expect(many.answer("2")).toEqual({ "Many?": ["Blue"] });
  const free = new QuestionForm([{ question: "How many?", options: [], multi: false }]);
  expect(free.answer("7")).toEqual({ "How many?": "7" });
});

test("a call and its result take one line each", () => {
  expect(callLine("Bash", { command: "ls\nrm" }, 80)).toBe("Bash  ls …");
  expect(callLine("mcp__db__query", { limit: 3 }, 80)).toBe('db: query  {"limit":3}');
  expect(resultLine("a\nb\n", 80)).toBe("a … (2 lines)");
  expect(resultLine("", 80)).toBe("(no output)");
  expect(resultLine({ blob: "b", bytes: 300_000, preview: "begins" }, 80)).toBe("293 KB: begins");
});

test("the prompt shows a whole command", () => {
  expect(wholeCall("Bash", { command: "ls" }, 80)).toEqual([]);
  const hidden = `ls ${" ".repeat(100)}; rm -rf /`;
  expect(wholeCall("Bash", { command: hidden }, 60).join("\n")).toContain("rm -rf /");
  expect(wholeCall("Bash", { command: "ls\nrm -rf /" }, 60)).toEqual(["    ls", "    rm -rf /"]);
  const long = wholeCall("Bash", { command: "x\n".repeat(50) }, 60);
  expect(long.at(-1)).toBe("    … 10 more rows are not shown");
});

test("the prompt shows every field of a call, not only the most telling one", () => {
  const server = { query: "list", confirm: true, sql: "drop table x", to: ["a", "b"] };
  expect(wholeCall("mcp__db__run", server, 60)).toEqual([
    "    confirm: true",
    '    sql: "drop table x"',
    '    to: ["a","b"]',
  ]);
  const write = { file_path: "/a", content: "one\nfile_path: /b\n\u001b[2Jtwo" };
  expect(wholeCall("mcp__disk__save", write, 60)).toEqual([
    "    content:",
    "      one",
    "      file_path: /b",
    "      two",
  ]);
  const command = { command: "ls\nrm", run_in_background: true };
  expect(wholeCall("Bash", command, 60)).toEqual([
    "    ls",
    "    rm",
    "    run_in_background: true",
  ]);
  const long = wholeCall("Write", { file_path: "/a", content: "x\n".repeat(50) }, 60);
  expect([long.length, long.at(-1)]).toEqual([42, "    … 11 more rows are not shown"]);
});

const whole = (tool: string, input: Record<string, string | boolean>): string[] =>
  wholeCall(tool, { file_path: "/a", ...input }, 60);

test("the prompt does not repeat what the diff shows in full, and shows everything else", () => {
  expect(whole("Write", { content: "one\ntwo\n" })).toEqual([]);
  expect(whole("Write", { content: "" })).toEqual(['    content: ""']);
  expect(whole("Write", { content: "x\n".repeat(9) })).toHaveLength(11);
  const edit = { old_string: "a", new_string: "b", replace_all: true };
  expect(whole("Edit", edit)).toEqual(["    replace_all: true"]);
  expect(whole("Edit", { old_string: "a\nb", new_string: "a\nc" })).toHaveLength(6);
});

test("an edit shows its changes and nothing more", () => {
  const edit = { old_string: "a\nb\nc", new_string: "a\nB\nc" };
  expect(diffRows("Edit", edit, noPaint)).toEqual(["- b", "+ B"]);
  const content = Array.from({ length: 20 }, (_, index) => `line ${index}`).join("\n");
  expect(diffRows("Write", { content }, noPaint)).toHaveLength(8);
  expect(diffRows("Write", { content }, noPaint).at(-1)).toBe("+ … 13 more lines");
  expect(diffRows("MultiEdit", { edits: [edit, edit] }, noPaint)).toHaveLength(4);
});
