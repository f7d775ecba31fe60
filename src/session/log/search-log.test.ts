import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { memoryDir } from "../../../test/support/temp-dir.ts";
import type { EventLog } from "./event-log.ts";
import type { EventDraft } from "./event-draft.ts";
import { openLog } from "./open-log.ts";

async function logOf(drafts: readonly EventDraft[], maxSegmentBytes = 3000): Promise<EventLog> {
  const log = openLog(memoryDir(), { maxSegmentBytes });
  for (const draft of drafts) {
    log.append(draft);
    await log.durable();
  }
  return log;
}

async function found(log: EventLog, text: string, limit = 100) {
  const hits = [];
  let before: number | undefined;
  for (;;) {
    const page = await log.search(text, before, limit);
    hits.push(...page.hits);
    expect(page.hits.length).toBeLessThanOrEqual(limit);
    if (!page.more) return hits;
    expect(page.before).toBeLessThan(before ?? Number.POSITIVE_INFINITY);
    before = page.before;
  }
}

const says = (text: string, more: { block?: number; parent?: string } = {}): EventDraft => ({
  type: "text_delta",
  turn_id: "t",
  block: 0,
  text,
  ...more,
});

test("[SES-72] search finds a text in messages, words, thoughts, inputs, results and answers, newest first", async () => {
  const log = await logOf([
    { type: "user_message", id: "m1", text: "Where is the NEEDLE?" },
    { type: "turn_started", turn_id: "t", messages: ["m1"], cause: "message" },
    { type: "thinking_delta", turn_id: "t", block: 0, text: "A needle, hm." },
    says("No nee-dle here.", { block: 1 }),
    { type: "tool_input_delta", request_id: "r", tool: "Bash", partial_json: '{"x":"needle"}' },
    {
      type: "tool_use",
      turn_id: "t",
      request_id: "r",
      tool: "Bash",
      input: { a: [{ b: "needle" }] },
    },
    { type: "tool_output_delta", request_id: "r", text: "needle" },
    { type: "tool_result", turn_id: "t", request_id: "r", output: "a needle", is_error: false },
    { type: "approval_resolved", request_id: "q", outcome: "denied", reason: "Needle!", by: "ann" },
    { type: "user_message", id: "m2", content: [{ type: "text", text: "needles" }] },
  ]);
  const hits = await found(log, "needle");
  expect(hits.map(({ seq, type }) => [seq, type])).toEqual([
    [10, "user_message"],
    [9, "approval_resolved"],
    [8, "tool_result"],
    [6, "tool_use"],
    [3, "thinking_delta"],
    [1, "user_message"],
  ]);
  expect(hits[0]).toMatchObject({ id: "m2", preview: "needles", at: expect.any(String) });
  expect(hits[2]).toMatchObject({ request_id: "r", turn_id: "t", preview: "a needle" });
  expect(await found(log, "nothing of the kind")).toEqual([]);
  await log.close();
});

test("[SES-72] search takes its text literally, and knows case beyond ASCII", async () => {
  const log = await logOf([says("a.b (c) [d] ÜBUNG")]);
  expect(await found(log, "a.b (C) [d] ü")).toHaveLength(1);
  expect(await found(log, "axb")).toEqual([]);
  expect(await found(log, ".")).toHaveLength(1);
  await log.close();
});

test("[SES-72] search finds a text that lies across pieces, files of the log and pages, and shows what stands around it", async () => {
  const pieces = "The quick brown fox jumps over the lazy dog. "
    .split("")
    .flatMap((letter) => [
      says(letter),
      says(letter.toUpperCase(), { parent: "p" }),
      { type: "status" as const, state: "running" as const },
    ]);
  const log = await logOf([...pieces, ...pieces], 2000);
  expect(log.firstSeq).toBeGreaterThan(2);
  const hits = await found(log, "fox jumps", 1);
  expect(hits.map(({ parent }) => parent)).toEqual(["p", undefined, "p", undefined]);
  expect(hits[3]?.preview).toContain("The quick brown fox jumps over the lazy dog. The quick");
  const all = await found(log, "fox jumps");
  expect(all.map(({ seq }) => seq)).toEqual(hits.map(({ seq }) => seq));
  await log.close();
});

test("[SES-72] search finds every beginning of a text in the pieces of interleaved blocks, whatever the size of its pages", async () => {
  const letters = fc.constantFrom("a", "b", "ab", "ba", "B", "");
  const script = fc.array(fc.tuple(fc.nat(1), letters), { maxLength: 60, size: "max" });
  await fc.assert(
    fc.asyncProperty(
      script,
      fc.constantFrom("ab", "aab", "ba", "a"),
      fc.integer({ min: 1, max: 9 }),
      async (pieces, text, limit) => {
        const log = openLog(memoryDir(), { maxSegmentBytes: 1500 });
        const texts = ["", ""];
        const starts: { block: number; from: number; to: number; seq: number }[] = [];
        for (const [block, letter] of pieces) {
          const { seq } = log.append(says(letter, { block }));
          const from = texts[block]?.length ?? 0;
          texts[block] += letter;
          starts.push({ block, from, to: from + letter.length, seq });
          if (seq % 5 === 0) await log.durable();
        }
        await log.durable();
        const expected = starts.filter(({ block, from, to }) => {
          for (let at = from; at < to; at += 1) {
            if (texts[block]?.toLowerCase().startsWith(text, at)) return true;
          }
          return false;
        });
        const hits = await found(log, text, limit);
        expect(hits.map(({ seq }) => seq)).toEqual(expected.map(({ seq }) => seq).toReversed());
        await log.close();
      },
    ),
  );
});

test("[SES-72] search passes over what was taken back", async () => {
  const call = { type: "tool_use", request_id: "r", tool: "Bash", input: { a: "word" } } as const;
  const log = await logOf([
    says("a word"),
    { type: "retracted", turn_id: "t", block: 0 },
    call,
    { type: "retracted", turn_id: "t", request_id: "r" },
    says("another word"),
    { ...call, request_id: "s" },
    { type: "tool_result", request_id: "s", output: "", is_error: false },
    { type: "retracted", turn_id: "t", request_id: "s" },
  ]);
  expect((await found(log, "word")).map(({ seq }) => seq)).toEqual([6, 5]);
  await log.close();
});

test("[SES-72] search looks into payloads beside the log, also across the parts in which it reads them", async () => {
  const directory = memoryDir();
  const log = openLog(directory);
  const output = `${"x".repeat(1_048_570)} a needle ${"y".repeat(300_000)}`;
  log.append({ type: "tool_result", request_id: "r", output, is_error: false });
  await log.durable();
  expect(await found(log, "needle")).toMatchObject([
    { seq: 1, preview: expect.stringMatching(/^x+ a needle y+$/) },
  ]);
  for (const blob of readdirSync(join(directory, "blobs"))) rmSync(join(directory, "blobs", blob));
  expect(await found(log, "needle")).toEqual([]);
  await log.close();
});

test("[SES-72] one search reads a bounded part of a long log, and says where to go on", async () => {
  const log = openLog(memoryDir());
  log.append({ type: "user_message", id: "m", text: "needle" });
  const output = "x".repeat(250_000);
  for (let n = 0; n < 100; n += 1) {
    log.append({ type: "tool_result", request_id: `r${n}`, output, is_error: false });
  }
  await log.durable();
  const first = await log.search("needle", undefined, 5);
  expect(first).toMatchObject({ hits: [], more: true, before: expect.any(Number) });
  expect(await log.search("needle", first.before, 5)).toMatchObject({
    hits: [{ seq: 1 }],
    more: false,
  });
  await log.close();
});
