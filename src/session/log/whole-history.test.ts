import * as fc from "fast-check";
import { expect, test } from "vitest";
import { drafts } from "../../../test/support/log-stage.ts";
import { memoryDir } from "../../../test/support/temp-dir.ts";
import { emptyConversation } from "../../client/conversation.ts";
import { fold } from "../../client/fold-conversation.ts";
import type { SessionEvent } from "../../wire/session/events.ts";
import type { EventLog } from "./event-log.ts";
import type { EventDraft } from "./event-draft.ts";
import { openLog } from "./open-log.ts";

const id = fc.constantFrom("a", "b");
const piece = fc.constantFrom("x", "yy", "zzz", "");

/** Pieces of texts that several agents say at the same time, and whatever comes between them. */
const anything: fc.Arbitrary<EventDraft> = fc.oneof(
  { weight: 3, arbitrary: drafts },
  {
    weight: 6,
    arbitrary: fc.oneof(
      fc.record({
        type: fc.constantFrom("text_delta", "thinking_delta"),
        turn_id: fc.constant("t"),
        parent: fc.constantFrom(undefined, "p"),
        block: fc.nat(1),
        text: piece,
      }),
      fc.record({
        type: fc.constant("tool_input_delta"),
        request_id: id,
        tool: fc.constant("Bash"),
        partial_json: piece,
      }),
      fc.record(
        {
          type: fc.constant("tool_output_delta"),
          request_id: id,
          text: piece,
          ended: fc.constant(true as const),
          skipped_bytes: fc.constant(5),
        },
        { requiredKeys: ["type", "request_id", "text"] },
      ),
      fc.constant({
        type: "retry" as const,
        attempt: 1,
        max: 2,
        delay_ms: 0,
        code: "api_error" as const,
      }),
      fc.record({
        type: fc.constant("retracted" as const),
        turn_id: fc.constant("t"),
        block: fc.nat(1),
      }),
      fc.record({ type: fc.constant("retracted" as const), request_id: id }),
      fc.record({
        type: fc.constant("tool_use" as const),
        request_id: id,
        tool: fc.constant("Bash"),
        input: fc.constant({}),
      }),
      fc.record({
        type: fc.constant("tool_result" as const),
        request_id: id,
        output: piece,
        is_error: fc.constant(false),
      }),
      fc.constant({
        type: "turn_started" as const,
        turn_id: "t",
        messages: [],
        cause: "message" as const,
      }),
      fc.constant({ type: "notice" as const, code: "cli_restarted" as const, message: "again" }),
    ),
  },
) as fc.Arbitrary<EventDraft>;

async function pagesOf(log: EventLog, limit: number, whole: boolean): Promise<SessionEvent[][]> {
  const pages: SessionEvent[][] = [];
  let before: number | undefined;
  for (;;) {
    const { events, more } = await log.history(before, limit, { whole });
    pages.unshift(events);
    if (!more) return pages;
    before = events[0]?.seq;
  }
}

const conversationOf = (events: readonly SessionEvent[]) => {
  const { seq: _, ...conversation } = fold(emptyConversation, events);
  return conversation;
};

test("[SES-73] pages of whole history make the same conversation as the events one by one", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anything, { minLength: 1, maxLength: 80, size: "max" }),
      fc.integer({ min: 1, max: 20 }),
      async (script, limit) => {
        const log = openLog(memoryDir(), { maxSegmentBytes: 3000 });
        for (const [index, draft] of script.entries()) {
          log.append(draft);
          if (index % 7 === 0) await log.durable();
        }
        await log.durable();
        const raw = (await pagesOf(log, 1000, false)).flat();
        const pages = await pagesOf(log, limit, true);
        for (const page of pages) expect(page.length).toBeLessThanOrEqual(limit);
        const whole = pages.flat();
        const seqs = whole.map(({ seq }) => seq);
        expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
        expect(conversationOf(whole)).toEqual(conversationOf(raw));
        await log.close();
      },
    ),
    { numRuns: 200 },
  );
});

test("[SES-73] history with whole has one event for the pieces of a text, across files of the log and between other agents' pieces", async () => {
  const log = openLog(memoryDir(), { maxSegmentBytes: 3000 });
  const words = Array.from({ length: 100 }, (_, index) => `word ${index} `);
  log.append({ type: "turn_started", turn_id: "t", messages: [], cause: "message" });
  for (const text of words) {
    log.append({ type: "text_delta", turn_id: "t", block: 0, text });
    log.append({
      type: "text_delta",
      turn_id: "t",
      parent: "p",
      block: 0,
      text: text.toUpperCase(),
    });
    await log.durable();
  }
  log.append({ type: "status", state: "idle" });
  await log.durable();
  expect(log.firstSeq).toBeGreaterThan(2);
  const { events, more } = await log.history(undefined, 3, { whole: true });
  expect(events).toMatchObject([
    { seq: 2, type: "text_delta", text: words.join("") },
    { seq: 3, parent: "p", text: words.join("").toUpperCase() },
    { type: "status" },
  ]);
  expect(more).toBe(true);
  await log.close();
});
