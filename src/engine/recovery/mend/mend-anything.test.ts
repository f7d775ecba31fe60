import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isRecord } from "../../../wire/json.ts";
import type { Row } from "../transcript.ts";
import type { LoggedCall, LoggedItem, LoggedText, LoggedTurn } from "./logged-turns.ts";
import type { NewRow, RowPlace } from "./make-rows.ts";
import { callRow, messageRow, resultRow, textRow } from "./make-rows.ts";
import { mendTranscript } from "./mend-transcript.ts";

const place: RowPlace = { sessionId: "S", cwd: "/w", version: "1", gitBranch: "HEAD", model: "m" };
const at = "2026-11-18T00:00:00.000Z";

/** One answer of the model: whether it begins with thinking, how many texts it has, how many calls it makes at once. */
interface Answer {
  thinks: boolean;
  texts: number;
  calls: number;
  /** A message that joins the turn behind this answer. */
  isJoined: boolean;
}

/** Writes the rows that a CLI on a healthy disk writes, and the log of the same conversation. */
class Writer {
  readonly rows: Row[] = [];
  readonly turns: LoggedTurn[] = [];
  #last: string | null = null;
  #ids = 0;

  turn(answers: readonly Answer[]): void {
    const items: LoggedItem[] = [this.#message()];
    for (const answer of answers) {
      items.push(...this.#answer(answer));
      if (answer.isJoined) items.push(this.#message());
    }
    this.turns.push({ items, completed: true });
  }

  #message(): LoggedItem {
    const id = this.#newId("m");
    const item: LoggedItem = {
      kind: "message",
      at,
      message: { id, content: `words of ${id}` },
      seen: true,
    };
    this.#append(messageRow(item, place));
    this.#append({ type: "attachment", uuid: this.#newId("a"), attachment: { type: "date" } });
    return item;
  }

  #answer({ thinks, texts, calls }: Answer): LoggedItem[] {
    const id = this.#newId("msg");
    const say = (row: NewRow): void => {
      this.#append({ ...row, message: { ...(row["message"] as object), id } });
    };
    const thinking = [{ type: "thinking", thinking: "hm" }];
    if (thinks)
      this.#append({
        type: "assistant",
        uuid: this.#newId("t"),
        message: { id, content: thinking },
      });
    const said = Array.from({ length: texts }, () => this.#text());
    for (const text of said) say(textRow(text, place));
    const made = Array.from({ length: calls }, () => this.#call());
    const parents = made.map((call) => {
      say(callRow(call, place));
      return this.#last;
    });
    for (const [index, call] of made.entries()) {
      this.#last = parents[index] ?? null;
      this.#append(resultRow(call, place));
    }
    if (calls > 0) this.rows.push({ type: "api-request-blob", message: { content: copyOf(made) } });
    return [...said, ...made];
  }

  #text(): LoggedText {
    return { kind: "text", at, text: `text ${this.#newId("s")}` };
  }

  #call(): LoggedCall {
    const request_id = this.#newId("c");
    const result = { at, content: `result of ${request_id}`, isError: false };
    return { kind: "call", at, request_id, tool: "Bash", input: {}, result };
  }

  #append(row: Row): void {
    this.rows.push({ ...row, sessionId: "S", parentUuid: this.#last });
    this.#last = row.uuid ?? this.#last;
  }

  #newId(kind: string): string {
    this.#ids += 1;
    return `${kind}${this.#ids}`;
  }
}

const copyOf = (calls: readonly LoggedCall[]) =>
  calls.flatMap(({ request_id }) => [
    { type: "tool_use", id: request_id },
    { type: "tool_result", tool_use_id: request_id },
  ]);

/**
 * What a CLI reads: from the last row back to the first, each by the row that it hangs on; then the other calls of the
 * same answers, and the results that hang on any of them, behind the last row of the answer.
 */
function readLinesBackwards(bytes: Buffer): Row[] {
  const rows = bytes
    .toString()
    .split("\n")
    .flatMap((line) => parsed(line))
    .filter(({ uuid }) => uuid !== undefined);
  const byId = new Map(rows.map((row) => [row.uuid, row]));
  const chain: Row[] = [];
  for (let row = rows.at(-1); row; row = byId.get(row.parentUuid ?? "")) {
    chain.unshift(row);
    if (chain.length > rows.length) throw new Error("the chain goes round in a circle");
  }
  const seen = new Set(chain);
  return chain.flatMap((row, index) => {
    const id = row.type === "assistant" ? row.message?.id : undefined;
    const isLast = !chain.slice(index + 1).some(({ message }) => message?.id === id);
    if (id === undefined || !isLast) return [row];
    const answer = rows.filter(({ message }) => message?.id === id);
    const ids = new Set(answer.map(({ uuid }) => uuid));
    const results = rows.filter(
      (each) => ids.has(each.parentUuid ?? "") && nameOf(each).startsWith("result"),
    );
    return [row, ...[...answer, ...results].filter((each) => !seen.has(each))];
  });
}

function parsed(line: string): Row[] {
  try {
    return [JSON.parse(line) as Row];
  } catch {
    return [];
  }
}

/** What a row says, as far as the log could say it. */
function nameOf({ message }: Row): string {
  const content: unknown = message?.content;
  if (typeof content === "string") return content;
  const block: unknown = Array.isArray(content) ? content[0] : undefined;
  if (!isRecord(block)) return "";
  const { type, text, id, tool_use_id } = block;
  if (type === "tool_result") return `result ${String(tool_use_id)}`;
  if (type === "tool_use") return `call ${String(id)}`;
  return typeof text === "string" ? text : "";
}

const namesOf = (turns: readonly LoggedTurn[]): string[] =>
  turns.flatMap(({ items }) =>
    items.map((item) => {
      if (item.kind === "message") return `words of ${item.message.id}`;
      return item.kind === "text" ? item.text : `call ${item.request_id}`;
    }),
  );

/** Where a call has not one result, before a message comes or the model goes on. */
function unpairedIn(names: readonly string[]): string[] {
  const open = new Set<string>();
  const faults: string[] = [];
  for (const [index, name] of names.entries()) {
    const [kind = "", id = ""] = name.split(" ");
    const isNext = kind !== "result" && names[index - 1]?.startsWith("result") === true;
    if (kind === "result" && !open.delete(id)) faults.push(`${name} has no open call`);
    if ((isNext || kind === "words") && open.size > 0) faults.push(`open calls before ${name}`);
    if (kind === "call") open.add(id);
  }
  return [...faults, ...open];
}

const answer: fc.Arbitrary<Answer> = fc.record({
  thinks: fc.boolean(),
  texts: fc.nat({ max: 3 }),
  calls: fc.nat({ max: 3 }),
  isJoined: fc.boolean(),
});
const turns = fc.array(fc.array(answer, { maxLength: 3 }), { minLength: 1, maxLength: 4 });

/** What the disk did to a row: took it, lost it, or took its beginning, with or without the end of the line. */
const fate = fc.oneof(
  { weight: 6, arbitrary: fc.constant("whole" as const) },
  { weight: 2, arbitrary: fc.constant("lost" as const) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("torn" as const, "torn, and the next row on its line" as const),
  },
);
const damage = fc.record({
  fates: fc.array(fate, { maxLength: 80 }),
  /** How much of the rows is there at all. */
  kept: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
});

function damaged(
  rows: readonly Row[],
  { fates, kept }: typeof damage extends fc.Arbitrary<infer D> ? D : never,
) {
  const lines = rows.slice(0, Math.ceil(rows.length * kept)).map((row, index) => {
    const line = JSON.stringify(row);
    const half = line.slice(0, line.length / 2);
    switch (fates[index] ?? "whole") {
      case "whole":
        return `${line}\n`;
      case "lost":
        return "";
      case "torn":
        return `${half}\n`;
      default:
        return half;
    }
  });
  return Buffer.from(lines.join(""));
}

test("mendTranscript restores each item of the conversation once and in order, whatever rows are lost", () => {
  fc.assert(
    fc.property(turns, damage, (said, harm) => {
      const writer = new Writer();
      for (const each of said) writer.turn(each);
      const bytes = damaged(writer.rows, harm);
      const mended = mendTranscript(bytes, writer.turns, place)?.bytes ?? bytes;
      const names = readLinesBackwards(mended).map(nameOf).filter(Boolean);
      expect(names.filter((name) => !name.startsWith("result"))).toEqual(namesOf(writer.turns));
      expect(unpairedIn(names)).toEqual([]);
      expect(mendTranscript(mended, writer.turns, place)).toBeUndefined();
    }),
    { numRuns: 1_000 },
  );
});
