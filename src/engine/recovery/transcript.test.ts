import { appendFileSync, mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { resumeText } from "./resume-text.ts";
import type { Transcript } from "./transcript.ts";
import { findTranscript, readTranscript } from "./transcript.ts";

type Line = Record<string, unknown> | string;

function fileOf(lines: Line[], end = "\n"): string {
  const path = join(tempDir(), "session.jsonl");
  const texts = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
  writeFileSync(path, texts.join("\n") + end);
  return path;
}

const read = (...lines: Line[]): Transcript => readTranscript(fileOf(lines));

const common = { isSidechain: false, cwd: "/work", sessionId: "S", version: "2.1.325" };

const row = (type: string, uuid: string, parentUuid: string | null, fields: object) => ({
  parentUuid,
  type,
  uuid,
  timestamp: "2026-11-15T22:00:00.000Z",
  ...common,
  ...fields,
});

const prompt = (uuid: string, parent: string | null, fields: object = {}) =>
  row("user", uuid, parent, { message: { role: "user", content: `text of ${uuid}` }, ...fields });

interface AnswerFields {
  id?: string;
  stop_reason?: string | null;
  isSidechain?: boolean;
}

const answer = (uuid: string, parent: string, content: object[], fields: AnswerFields = {}) => {
  const { id = `msg-${uuid}`, stop_reason = "tool_use", isSidechain = false } = fields;
  const message = { id, role: "assistant", model: "opus", content, stop_reason };
  return row("assistant", uuid, parent, { message, isSidechain });
};

const call = (id: string) => ({ type: "tool_use", id, name: "Bash", input: { command: id } });
const text = { type: "text", text: "Well." };

const toolResult = (uuid: string, parent: string, tool_use_id: string) =>
  row("user", uuid, parent, {
    message: { role: "user", content: [{ type: "tool_result", tool_use_id, content: "ok" }] },
  });

const folded = (uuid: string, parent: string, source_uuid: string) =>
  row("attachment", uuid, parent, {
    attachment: { type: "queued_command", prompt: "also", source_uuid, commandMode: "prompt" },
  });

const attachment = (uuid: string, parent: string) =>
  row("attachment", uuid, parent, { attachment: { type: "environment" } });

const callsOf = ({ calls }: Transcript) => calls.map(({ request_id }) => request_id);

describe("which messages are in the file", () => {
  it("those that began or joined a turn, under the ids that they were pushed with", () => {
    const { messages } = read(
      prompt("M1", null),
      answer("a1", "M1", [call("c1")]),
      toolResult("r1", "a1", "c1"),
      folded("q1", "r1", "M2"),
    );
    expect([...messages]).toEqual(expect.arrayContaining(["M1", "M2"]));
    expect(messages.has("q1")).toBe(false);
  });

  it("those that the CLI merged into one prompt", () => {
    const { messages } = read(prompt("M3", null, { mergedSendUuids: ["M1", "M2"] }));
    expect(messages).toEqual(new Set(["M1", "M2", "M3"]));
  });

  it("not those that are only queued, or were given to a sub-agent", () => {
    const { messages } = read(
      { type: "queue-operation", operation: "enqueue", content: "text of M1", sessionId: "S" },
      prompt("M2", null, { isSidechain: true }),
      { type: "last-prompt", lastPrompt: "text of M3", sessionId: "S" },
      prompt("M4", null),
    );
    expect([...messages]).toEqual(["M4"]);
  });

  it("also one whose line lacks its newline, but not a torn one", () => {
    const whole = JSON.stringify(prompt("M2", "M1"));
    const whenCutAt = (length: number) =>
      readTranscript(fileOf([prompt("M1", null), whole.slice(0, length)], "")).messages;
    expect([...whenCutAt(whole.length)]).toEqual(["M1", "M2"]);
    for (const length of [1, 20, whole.length - 1]) expect([...whenCutAt(length)]).toEqual(["M1"]);
  });

  it("skips lines that are not rows, and rows of an unexpected form", () => {
    const { messages, calls } = read(
      "",
      "null",
      "7",
      "[]",
      '{"torn":',
      { type: "user" },
      { type: "user", uuid: "M1", message: null },
      {
        type: "assistant",
        uuid: "a1",
        message: { content: [null, "text", {}, { type: "tool_use" }] },
      },
      { type: "attachment", attachment: null },
      { type: "attachment", uuid: "q1", attachment: { type: "queued_command" } },
      prompt("M2", "M1"),
    );
    expect([...messages]).toEqual(["M1", "M2"]);
    expect(calls).toEqual([]);
  });
});

describe("which calls the conversation holds", () => {
  it("those of the last turn, with their answer and its row", () => {
    const transcript = read(
      prompt("M1", null),
      answer("a1", "M1", [text], { id: "A" }),
      answer("a2", "a1", [call("c1")], { id: "A" }),
      answer("a3", "a2", [call("c2")], { id: "A" }),
      toolResult("r1", "a2", "c1"),
    );
    expect(transcript.calls).toEqual([
      {
        request_id: "c1",
        tool: "Bash",
        input: { command: "c1" },
        answerId: "A",
        row: expect.objectContaining({ uuid: "a2", cwd: "/work", version: "2.1.325" }),
      },
      expect.objectContaining({ request_id: "c2", answerId: "A" }),
    ]);
    expect([...transcript.results]).toEqual(["c1"]);
  });

  it("not those of a sub-agent", () => {
    const transcript = read(
      prompt("M1", null),
      answer("a1", "M1", [call("c1")], { isSidechain: true }),
    );
    expect(callsOf(transcript)).toEqual([]);
  });

  it("not those in which a turn was cut before it was resumed", () => {
    const transcript = read(
      prompt("M1", null),
      attachment("x1", "M1"),
      answer("a1", "x1", [call("c1")], { id: "A" }),
      answer("a2", "a1", [call("c2")], { id: "A" }),
      prompt("go-on", "x1", { isMeta: true }),
      answer("b1", "go-on", [call("c3")], { id: "B" }),
      answer("b2", "b1", [call("c4")], { id: "B" }),
    );
    expect(callsOf(transcript)).toEqual(["c3", "c4"]);
  });

  it("nor when nothing was answered since", () => {
    const transcript = read(
      prompt("M1", null),
      answer("a1", "M1", [call("c1")]),
      prompt("go-on", "M1", { isMeta: true }),
    );
    expect(callsOf(transcript)).toEqual([]);
  });

  it("all that were made together, though the last row follows only the first", () => {
    const transcript = read(
      prompt("M1", null),
      answer("a1", "M1", [call("c1")], { id: "A" }),
      answer("a2", "a1", [call("c2")], { id: "A" }),
      toolResult("r1", "a1", "c1"),
    );
    expect(callsOf(transcript)).toEqual(["c1", "c2"]);
  });

  it("not the results of calls in which a turn was cut", () => {
    const { results } = read(
      prompt("M1", null),
      answer("a1", "M1", [call("c1")]),
      toolResult("r1", "a1", "c1"),
      prompt("M2", "M1", { isMeta: true }),
    );
    expect(results).toEqual(new Set());
  });

  it("also those before a compaction", () => {
    const { results } = read(
      prompt("M1", null),
      answer("a1", "M1", [call("c1")]),
      toolResult("r1", "a1", "c1"),
      row("system", "b1", null, { subtype: "compact_boundary", logicalParentUuid: "r1" }),
      prompt("M2", "b1"),
    );
    expect(results).toEqual(new Set(["c1"]));
  });

  it("those that the model was told about after a crash, unless that was undone too", () => {
    const words = `[NOT USER INPUT]\n${resumeText([
      { request_id: "c1", tool: "Bash", input: { command: "ls\n- [c7]: ran to" } },
      { request_id: "c2", tool: "Read", input: {}, result: "[c9]: was" },
      { request_id: "c3", tool: "Read", input: {}, decision: "denied" },
    ])}`;
    const told = { isMeta: true, message: { content: [{ type: "text", text: words }] } };
    expect(read(prompt("M1", null, told)).told).toEqual(new Set(["c1", "c2", "c3"]));
    expect(read(prompt("M1", null, { ...told, isMeta: false })).told).toEqual(new Set());
    expect(read(prompt("M1", null, told), prompt("M2", null)).told).toEqual(new Set());
  });

  it("terminates when rows form a cycle", () => {
    expect(callsOf(read(prompt("M1", "a1"), answer("a1", "M1", [call("c1")])))).toEqual(["c1"]);
  });
});

describe("how the file ends", () => {
  const asked = prompt("M1", null);
  const called = answer("a1", "M1", [call("c1")]);
  const meta = { isMeta: true };
  const typed = (words: string) =>
    prompt("M2", "a1", { message: { role: "user", content: [{ type: "text", text: words }] } });
  type Ending = [string, Line[], Partial<Transcript>];
  it.each<Ending>([
    ["empty", [], { answered: false, endsHidden: false }],
    ["a question", [asked], { answered: false, endsHidden: false, endsAsking: true }],
    [
      "a relayed message",
      [prompt("M1", null, meta)],
      { answered: false, endsHidden: true, endsAsking: false },
    ],
    [
      "a whole answer",
      [asked, answer("a1", "M1", [text], { stop_reason: "end_turn" })],
      { answered: true, endsHidden: false },
    ],
    [
      "an answer that was cut",
      [asked, answer("a1", "M1", [text], { stop_reason: null })],
      { answered: false, endsHidden: false },
    ],
    ...["max_tokens", "pause_turn", "refusal"].map((stop_reason): Ending => [
      `an answer after which the CLI goes on by itself (${stop_reason})`,
      [asked, answer("a1", "M1", [text], { stop_reason })],
      { answered: false, endsHidden: false },
    ]),
    [
      "an answer that ended at its stop sequence",
      [asked, answer("a1", "M1", [text], { stop_reason: "stop_sequence" })],
      { answered: true, endsHidden: false },
    ],
    ...["", " for tool use"].map((what): Ending => [
      `the mark that a person stopped the turn${what}`,
      [asked, called, typed(`[Request interrupted by user${what}]`)],
      { answered: true, endsHidden: false },
    ]),
    [
      "a person's own words that begin like that mark",
      [asked, called, typed("[Request interrupted by user] is what I read. Why?")],
      { answered: false, endsHidden: false, endsAsking: true },
    ],
    ["a call", [asked, called], { answered: false, endsHidden: false }],
    [
      "a result",
      [asked, called, toolResult("r1", "a1", "c1")],
      { answered: false, endsHidden: false, endsAsking: false },
    ],
    [
      "a message that joined",
      [asked, answer("a1", "M1", [text], { stop_reason: "end_turn" }), folded("q1", "a1", "M2")],
      { answered: false, endsHidden: false },
    ],
    [
      "an answer, and rows that say nothing",
      [
        asked,
        answer("a1", "M1", [text], { stop_reason: "end_turn" }),
        attachment("x1", "a1"),
        { type: "last-prompt" },
      ],
      { answered: true, endsHidden: false },
    ],
    [
      "the CLI's own words, then a call",
      [asked, prompt("go-on", "M1", meta), called],
      { answered: false, endsHidden: false },
    ],
  ])("%s", (_name, lines, expected) => {
    expect(read(...lines)).toMatchObject(expected);
  });
});

const said = (uuid: string, parent: string, words: string, id = "A") =>
  answer(uuid, parent, [{ type: "text", text: words }], { id, stop_reason: "end_turn" });

test("the last answer, each block of which has a row", () => {
  const asked = prompt("M1", null);
  const before = [asked, said("a0", "M1", "Earlier.", "B"), prompt("M2", "a0")];
  expect(read(...before).answer).toEqual([]);
  const whole = [...before, said("a1", "M2", "One."), said("a2", "a1", "Two.")];
  expect(read(...whole).answer).toEqual(["One.", "Two."]);
  expect(read(...whole, attachment("x1", "a2"), { type: "mode" }).answer).toHaveLength(2);
  expect(read(...whole, folded("q1", "a2", "M3")).answer).toEqual([]);
});

describe("a file that is larger than a string can be", () => {
  it("is read, also after such a line", () => {
    const path = fileOf([prompt("M1", null)]);
    // A hole in the file: as long as it is, it takes no space on the disk.
    truncateSync(path, 520 * 1024 * 1024);
    appendFileSync(path, `\n${JSON.stringify(prompt("M2", "M1"))}\n`);
    expect([...readTranscript(path).messages]).toEqual(["M1", "M2"]);
  });
});

describe("findTranscript", () => {
  it("finds the file of a session in any project", () => {
    const config = tempDir();
    for (const project of ["-work-a", "-work-b", "-work-c"]) {
      mkdirSync(join(config, "projects", project), { recursive: true });
    }
    const path = join(config, "projects", "-work-b", "S.jsonl");
    writeFileSync(path, "");
    expect(findTranscript(config, "S")).toBe(path);
    expect(findTranscript(config, "T")).toBeUndefined();
  });

  it("finds none where Claude Code never ran", () => {
    expect(findTranscript(join(tempDir(), "nowhere"), "S")).toBeUndefined();
  });
});
