import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { memoryDir } from "../../../test/support/temp-dir.ts";
import { parseEvent } from "../../wire/session/events.ts";
import { stateToJson } from "../../session-state/state-json.ts";
import { openLog } from "./open-log.ts";
import { collect, drafts, eventsOf, foldOf, hear } from "../../../test/support/log-stage.ts";
import { segmentNames, textOf, wholeLog } from "../../../test/support/log-stage.ts";

const maxSegmentBytes = 2000;

test("after any operations and reopenings: no gap, the same state, the same bytes", async () => {
  const steps = fc.oneof(
    { weight: 30, arbitrary: drafts.map((draft) => ({ draft })) },
    { weight: 4, arbitrary: fc.constant("settle" as const) },
    { weight: 1, arbitrary: fc.constant("reopen" as const) },
    { weight: 1, arbitrary: fc.constant("reopen without help" as const) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 20, maxLength: 120 }), async (script) => {
      const directory = memoryDir();
      let log = openLog(directory, { maxSegmentBytes });
      let heard = "";
      let batches = hear(log);
      const reopen = async (): Promise<void> => {
        const before = [stateToJson(log.state), log.state.acceptedIds];
        await log.close();
        heard += textOf(batches);
        log = openLog(directory, { maxSegmentBytes });
        batches = hear(log);
        expect([stateToJson(log.state), log.state.acceptedIds]).toEqual(before);
      };
      for (const step of script) {
        if (step === "settle") await log.durable();
        else if (step === "reopen") await reopen();
        else if (step === "reopen without help") {
          await log.close();
          rmSync(join(directory, "checkpoint.json"), { force: true });
          const base = `state-${String(log.firstSeq).padStart(16, "0")}.json`;
          rmSync(join(directory, base), { force: true });
          await reopen();
        } else log.append(step.draft);
      }
      await log.durable();
      heard += textOf(batches);
      const whole = wholeLog(directory);
      expect(heard).toBe(whole);
      const events = eventsOf(whole);
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      for (const event of events) expect(parseEvent(event)).toMatchObject({ ok: true });
      expect(log).toMatchObject({ lastSeq: events.length, publishedSeq: events.length });
      expect(stateToJson(log.state)).toEqual(stateToJson(foldOf(events)));
      const current = readFileSync(join(directory, "events.jsonl"), "utf8");
      expect(textOf(await collect(log.readFromSnapshot()))).toBe(current);
      for (const { seq } of eventsOf(current)) {
        const rest = events.slice(seq);
        expect(eventsOf(textOf(await collect(log.readAfter(seq))))).toEqual(rest);
      }
      await log.close();
    }),
    { numRuns: 25 },
  );
});

test("a new segment begins with a snapshot, in which each text is whole and nothing open is missing", async () => {
  const directory = memoryDir();
  const log = openLog(directory, { maxSegmentBytes: 20_000 });
  log.append({ type: "session_changed", session_id: "s1" });
  log.append({ type: "user_message", id: "old", text: "first" });
  log.append({ type: "mode_changed", mode: "plan" });
  const fillTurn = async (turn_id: string): Promise<void> => {
    log.append({ type: "turn_started", turn_id, messages: [], cause: "background" });
    for (let piece = 0; piece < 100; piece += 1) {
      log.append({ type: "text_delta", turn_id, block: 0, text: `piece number ${piece}, ` });
    }
    const cost = { usage: { input_tokens: 1, output_tokens: 1 }, cost_usd: 1, duration_ms: 1 };
    log.append({ type: "done", turn_id, messages: [], stop_reason: "completed", ...cost });
    await log.durable();
  };
  while (segmentNames(directory).length === 1) await fillTurn(`t${log.lastSeq}`);
  const [first, ...items] = eventsOf(readFileSync(join(directory, "events.jsonl"), "utf8"));
  expect(first).toMatchObject({ type: "snapshot_begin", upto: log.firstSeq - 1, omitted: true });
  expect(items.at(-1)).toMatchObject({ type: "snapshot_end" });
  expect(first).toHaveProperty("items", items.length - 1);
  expect(items.slice(0, 3)).toMatchObject([
    { type: "session_changed", session_id: "s1" },
    { type: "mode_changed", mode: "plan" },
    { type: "user_message", id: "old", text: "first" },
  ]);
  const texts = items.filter(({ type }) => type === "text_delta");
  expect(texts.length).toBeGreaterThan(0);
  const whole = Array.from({ length: 100 }, (_, piece) => `piece number ${piece}, `).join("");
  for (const event of texts) expect(event).toHaveProperty("text", whole);
  expect(log.state).toMatchObject({ mode: "plan", sessionId: "s1" });
  expect([...log.state.accepted.keys()]).toEqual(["old"]);
  await log.close();
});

test("history pages back over segments and skips their snapshots", async () => {
  const directory = memoryDir();
  const log = openLog(directory, { maxSegmentBytes });
  while (segmentNames(directory).length < 4) {
    log.append({ type: "notice", code: "cli_message", message: `number ${log.lastSeq}` });
    await log.durable();
  }
  let inSnapshot = false;
  const own = eventsOf(wholeLog(directory)).filter(({ type }) => {
    if (type === "snapshot_begin") inSnapshot = true;
    if (type !== "snapshot_end") return !inSnapshot;
    inSnapshot = false;
    return false;
  });
  const paged = [];
  let before: number | undefined;
  for (let more = true; more;) {
    const page = await log.history(before, 7);
    expect(page.events.length).toBeLessThanOrEqual(7);
    paged.unshift(...page.events);
    before = page.events[0]?.seq;
    more = page.more;
  }
  expect(paged).toEqual(own);
  expect(await log.history(1, 10)).toEqual({ events: [], more: false });
  await log.close();
});

test("a page of history is complete although the log rotates while it is read", async () => {
  const log = openLog(memoryDir(), { maxSegmentBytes: 100_000 });
  const say = (message: string) => log.append({ type: "notice", code: "cli_message", message });
  for (let count = 0; count < 500; count += 1) say("x");
  await log.durable();
  const { lastSeq } = log;
  const page = log.history(undefined, 500);
  say("y".repeat(100_000));
  const safe = log.durable();
  // Before the page is read any further.
  expect(log.firstSeq).toBeGreaterThan(lastSeq);
  expect((await page).events.map(({ seq }) => seq)).toEqual(
    Array.from({ length: 500 }, (_, index) => lastSeq - 499 + index),
  );
  await safe;
  await log.close();
});

test("a saved state that was tampered with is ignored", async () => {
  const directory = memoryDir();
  const log = openLog(directory);
  log.append({ type: "user_message", id: "m1", text: "hi" });
  await log.close();
  const path = join(directory, "checkpoint.json");
  const saved = readFileSync(path, "utf8");
  writeFileSync(path, saved.replaceAll("m1", "m2"));
  const again = openLog(directory);
  expect([...again.state.acceptedIds]).toEqual(["m1"]);
  await again.close();
});

test("a checkpoint limits what an opening reads, also when nothing was appended since the last one", async () => {
  const directory = memoryDir();
  const log = openLog(directory);
  log.append({ type: "user_message", id: "m1", text: "hi" });
  log.append({ type: "status", state: "running" });
  await log.close();
  const path = join(directory, "checkpoint.json");
  for (let round = 0; round < 2; round += 1) {
    const saved = readFileSync(path, "utf8");
    rmSync(path);
    await openLog(directory).close();
    expect(readFileSync(path, "utf8")).toBe(saved);
    await openLog(directory).close();
    expect(readFileSync(path, "utf8")).toBe(saved);
  }
  // What stands before its place is not read again.
  const text = readFileSync(join(directory, "events.jsonl"), "utf8");
  writeFileSync(join(directory, "events.jsonl"), text.replace('"m1"', '"mX"'));
  const again = openLog(directory);
  expect([...again.state.acceptedIds]).toEqual(["m1"]);
  await again.close();
});
