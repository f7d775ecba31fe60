import { describe, expect, it, test } from "vitest";
import type { Row } from "../transcript.ts";
import { isUnbroken, mendTranscript } from "./mend-transcript.ts";
import type {
  LoggedItem,
  LoggedCall,
  LoggedMessage,
  LoggedText,
  LoggedTurn,
} from "./logged-turns.ts";
import type { RowPlace } from "./make-rows.ts";
import { callRow, messageRow, resultRow, textRow } from "./make-rows.ts";

const place: RowPlace = { sessionId: "S", cwd: "/w", version: "1", gitBranch: "HEAD", model: "m" };
const at = "2026-11-18T00:00:00.000Z";

const message = (id: string, seen = true): LoggedMessage => ({
  kind: "message",
  at,
  message: { id, content: `words of ${id}` },
  seen,
});
const text = (words: string): LoggedText => ({ kind: "text", at, text: words });
const call = (request_id: string): LoggedCall => ({
  kind: "call",
  at,
  request_id,
  tool: "Bash",
  input: { command: "ls" },
  result: { at, content: `result of ${request_id}`, isError: false },
});
const turn = (...items: LoggedItem[]): LoggedTurn => ({ items, completed: true });

/** The rows that a CLI on a healthy disk writes of a conversation. */
function written(turns: readonly LoggedTurn[]): Row[] {
  let parentUuid: string | null = null;
  return turns
    .flatMap(({ items }) => items)
    .flatMap((item): Row[] => {
      if (item.kind === "message") return [messageRow(item, place)];
      if (item.kind === "text") return [textRow(item, place)];
      return [callRow(item, place), resultRow(item, place)];
    })
    .map((row) => {
      const linked = { ...row, parentUuid };
      parentUuid = row.uuid ?? null;
      return linked;
    });
}

const fileOf = (rows: readonly Row[]): Buffer =>
  Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(""));

const mend = (bytes: Buffer | undefined, turns: readonly LoggedTurn[]) =>
  mendTranscript(bytes, turns, place);

/** What a CLI reads: from the last row back to the first, each by the row that it hangs on. */
function walk(bytes: Buffer): string[] {
  const rows = bytes
    .toString()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Row);
  const byId = new Map(rows.map((row) => [row.uuid, row]));
  const chain: string[] = [];
  for (let row = rows.at(-1); row; row = byId.get(row.parentUuid ?? "")) {
    chain.unshift(saidIn(row));
    if (chain.length > rows.length) throw new Error("the chain goes round in a circle");
  }
  return chain;
}

function saidIn({ message: said }: Row): string {
  const content = said?.content;
  if (typeof content === "string") return content;
  const [block] = content as Record<string, unknown>[];
  return JSON.stringify(block?.["text"] ?? block?.["content"] ?? block?.["id"]);
}

const conversation = [
  turn(message("m1"), text("one")),
  turn(message("m2"), call("c1"), text("two")),
  turn(message("m3"), text("one")),
];
const rows = written(conversation);
const whole = walk(fileOf(rows));
const without = (...indexes: number[]) => rows.filter((_, index) => !indexes.includes(index));

test("mendTranscript returns undefined for a complete file", () => {
  expect(mend(fileOf(rows), conversation)).toBeUndefined();
  expect(isUnbroken(fileOf(rows))).toBe(true);
});

describe("mendTranscript restores from the log:", () => {
  it.each([
    ["a message in the middle", without(2), ["m2"]],
    ["the first message", without(0), ["m1"]],
    ["the last message and its answer", without(6, 7), ["m3"]],
    ["a message with all that came of it", without(2, 3, 4, 5), ["m2"]],
    ["an answer", without(1), []],
    ["the last answer", without(7), []],
    ["a call, though its result is there", without(3), []],
    ["the result of a call", without(4), []],
    ["the last words of a turn that a call came before", without(5), []],
    ["all after a call, at the end of the file", rows.slice(0, 4), ["m3"]],
    ["the last words after a call, at the end of the file", rows.slice(0, 5), ["m3"]],
    ["everything", [], ["m1", "m2", "m3"]],
  ])("%s", (_, left, messages) => {
    const mended = mend(fileOf(left), conversation);
    expect(mended?.messages).toEqual(messages);
    const read = walk(mended?.bytes ?? Buffer.alloc(0));
    expect(read).toEqual(whole);
    expect(mend(mended?.bytes, conversation)).toBeUndefined();
  });
});

test("mendTranscript rewrites a missing file from the log", () => {
  expect(walk(mend(undefined, conversation)?.bytes ?? Buffer.alloc(0))).toEqual(whole);
});

test("mendTranscript finds a row that is on the same line as an unfinished one", () => {
  const lines = rows.map((row) => JSON.stringify(row));
  const [first = "", second = "", third = "", ...rest] = lines;
  const torn = [first, second.slice(0, 90) + third, ...rest].join("\n");
  expect(isUnbroken(Buffer.from(torn))).toBe(false);
  const mended = mend(Buffer.from(torn), conversation);
  expect(mended).toMatchObject({ hidden: 1, messages: [] });
  expect(walk(mended?.bytes ?? Buffer.alloc(0))).toEqual(whole);
});

test("mendTranscript keeps rows that the log does not know, and links those without a parent", () => {
  const stranger: Row = { type: "attachment", uuid: "x", parentUuid: "lost", sessionId: "S" };
  const mended = mend(fileOf([...rows.slice(0, 2), stranger, ...rows.slice(2)]), conversation);
  expect(mended).toMatchObject({ joined: 1, messages: [], others: 0 });
  const lines = (mended?.bytes.toString() ?? "").split("\n").filter(Boolean);
  const joined = lines.map((line) => JSON.parse(line) as Row).find(({ uuid }) => uuid === "x");
  expect(joined?.parentUuid).toBe(rows[1]?.uuid);
});

test("mendTranscript restores only messages and finished calls of a cut turn", () => {
  const cut: LoggedTurn = {
    items: [message("m1"), call("c1"), text("half an ans")],
    completed: false,
  };
  const read = walk(mend(undefined, [cut])?.bytes ?? Buffer.alloc(0));
  expect(read).toEqual(["words of m1", '"c1"', '"result of c1"']);
  expect(mend(fileOf(written([turn(message("m1"))])), [cut])).toBeUndefined();
});

test("mendTranscript does not take copies of requests in the file for the conversation", () => {
  const copies = rows.map((row): Row => ({ type: "api-request-blob", message: row.message ?? {} }));
  const left = [...rows.slice(0, 3), ...rows.slice(6, 7), ...copies, ...rows.slice(7)];
  const mended = mend(fileOf(left), conversation);
  expect(mended).toMatchObject({ messages: [], others: 3, gaps: 0 });
  expect(walk(mended?.bytes ?? Buffer.alloc(0))).toEqual(whole);
});

test("mendTranscript restores no answer that was edited in the file", () => {
  const edited = fileOf(rows).toString().replaceAll("two", "too");
  expect(mend(Buffer.from(edited), conversation)).toBeUndefined();
});

test("mendTranscript restores an answer before the CLI's filler and before words of another program", () => {
  const synthetic: Row = {
    ...rows[7],
    type: "assistant",
    uuid: "synthetic",
    message: { model: "<synthetic>", content: [{ type: "text", text: "No response requested." }] },
  };
  const stranger = { ...messageRow(message("x"), place), parentUuid: "synthetic" };
  const answer = { ...textRow(text("answer to x"), place), parentUuid: "x" };
  const left = [...rows.slice(0, 7), synthetic, stranger, answer];
  const mended = mend(fileOf(left), conversation);
  expect(walk(mended?.bytes ?? Buffer.alloc(0)).slice(6)).toEqual([
    "words of m3",
    '"one"',
    '"No response requested."',
    "words of x",
    '"answer to x"',
  ]);
});

test("mendTranscript counts the places that lost rows which the log does not have", () => {
  const thinking: Row = {
    ...rows[1],
    type: "assistant",
    uuid: "t",
    parentUuid: rows[2]?.uuid ?? "",
  };
  const next: Row = { ...rows[3], type: "assistant", parentUuid: "t" };
  const thought = [...rows.slice(0, 3), thinking, next, ...rows.slice(4)];
  expect(mend(fileOf(thought), conversation)).toBeUndefined();
  const mended = mend(fileOf(thought.filter(({ uuid }) => uuid !== "t")), conversation);
  expect(mended).toMatchObject({ messages: [], others: 0, joined: 1, gaps: 1 });
});
