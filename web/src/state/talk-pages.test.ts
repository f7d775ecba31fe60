import type { SessionEvent } from "agent-switchboard/wire";
import { expect, test } from "vitest";
import { pageOf, settledItems } from "./talk-pages.ts";
import type { TalkSource } from "./talk-source.ts";
import { TalkHistory, newestPage } from "./talk-history.ts";

const at = "2026-11-18T10:00:00.000Z";

/** A log of turns with one message, one call and one text each: six events. */
function logOf(turns: number): SessionEvent[] {
  const events: Record<string, unknown>[] = [];
  for (let n = 1; n <= turns; n += 1) {
    const turn_id = `t${n}`;
    const messages = [`m${n}`];
    events.push(
      { type: "user_message", id: `m${n}`, text: `question ${n}` },
      { type: "turn_started", turn_id, messages, cause: "message" },
      { type: "tool_use", turn_id, request_id: `c${n}`, tool: "Bash", input: {} },
      { type: "tool_result", turn_id, request_id: `c${n}`, output: "ok", is_error: false },
      { type: "text_delta", turn_id, block: 0, text: `answer ${n}` },
      {
        type: "done",
        turn_id,
        messages,
        usage: { input_tokens: 1, output_tokens: 1 },
        cost_usd: 0.01,
        duration_ms: 1,
        stop_reason: "completed",
      },
    );
  }
  return events.map(
    (event, index) => ({ seq: index + 1, at, ...event }) as unknown as SessionEvent,
  );
}

/** Like `history` of a session. */
const sourceOf = (log: readonly SessionEvent[], pageSize: number): TalkSource => ({
  history: ({ before = Infinity, limit = pageSize }) => {
    const older = log.filter(({ seq }) => seq < before);
    const events = older.slice(-Math.min(limit, pageSize));
    return Promise.resolve({ events, more: events.length < older.length });
  },
  blob: () => Promise.reject(new Error("There are no blobs.")),
});

test("`pageOf` begins with the first turn that is whole, and leaves the rest to the page before it", () => {
  const log = logOf(3);
  // Begins inside the first turn, after its message.
  const page = pageOf(log.slice(2), false);
  expect(page?.firstSeq).toBe(8);
  expect(page?.conversation.items.map(({ turnId }) => turnId)).toEqual([
    "t2",
    "t2",
    "t2",
    "t3",
    "t3",
    "t3",
  ]);
});

test("`pageOf` takes a turn whose message is not in the page for a cut one", () => {
  expect(pageOf(logOf(1).slice(1), false)).toBeUndefined();
});

test("`settledItems` leaves out a message whose turn is in the next page", () => {
  const page = pageOf(logOf(2).slice(0, 7), true);
  expect(page?.conversation.items).toHaveLength(4);
  expect(settledItems(page?.conversation.items ?? [])).toHaveLength(3);
});

test.each([7, 8, 9, 10, 11, 12, 13, 50])(
  "`TalkHistory` shows every item of a log once and in order, with pages of %i events",
  async (pageSize) => {
    const source = sourceOf(logOf(20), pageSize);
    const { page, more } = await newestPage(source, undefined);
    const history = new TalkHistory(() => source);
    history.begin(page.firstSeq, more);
    while (history.hasOlder.value) await history.loadOlder();
    // Those that were dropped meanwhile come back.
    const shown: string[] = [];
    for (const { firstSeq } of history.parts.value) {
      await history.load(firstSeq);
      const part = history.parts.value.find((each) => each.firstSeq === firstSeq);
      shown.push(...(part?.conversation?.items ?? []).map(({ key }) => key));
    }
    shown.push(...settledItems(page.conversation.items).map(({ key }) => key));
    const turns = Array.from({ length: 20 }, (_, index) => index + 1);
    expect(shown).toEqual(
      turns.flatMap((n) => [
        `message/m${n}`,
        `call/c${n}`,
        expect.stringContaining(`t${n}`) as unknown as string,
      ]),
    );
  },
);

test("`TalkHistory` keeps six parts in memory, and `reach` brings back the one with the event", async () => {
  const source = sourceOf(logOf(40), 12);
  const { page, more } = await newestPage(source, undefined);
  const history = new TalkHistory(() => source);
  history.begin(page.firstSeq, more);
  await history.reach(1);
  const inMemory = (): number =>
    history.parts.value.filter(({ conversation }) => conversation !== undefined).length;
  expect(history.hasOlder.value).toBe(false);
  expect(history.parts.value.length).toBeGreaterThan(10);
  expect(inMemory()).toBe(6);
  const newest = history.parts.value.at(-1);
  expect(newest?.conversation).toBeUndefined();
  await history.reach(newest?.firstSeq ?? 0);
  expect(history.parts.value.at(-1)?.conversation?.items.length).toBeGreaterThan(0);
  expect(inMemory()).toBe(6);
});
