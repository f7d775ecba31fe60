import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import type { SessionEvent } from "../../src/wire/session/events.ts";
import { applyEvent } from "../../src/session-state/apply-event.ts";
import type { SessionState } from "../../src/session-state/session-state.ts";
import { emptyState } from "../../src/session-state/session-state.ts";
import type { EventLog } from "../../src/session/log/event-log.ts";
import type { EventDraft, LogBatch } from "../../src/session/log/event-draft.ts";

// What the tests of the log share.

export const textOf = (batches: readonly LogBatch[]): string =>
  Buffer.concat(batches.map(({ bytes }) => bytes)).toString();

export const eventsOf = (text: string): SessionEvent[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as SessionEvent);

export async function collect(batches: AsyncIterable<LogBatch>): Promise<LogBatch[]> {
  const all: LogBatch[] = [];
  for await (const batch of batches) all.push(batch);
  return all;
}

export function hear(log: EventLog): LogBatch[] {
  const heard: LogBatch[] = [];
  log.subscribe((batch) => heard.push(batch));
  return heard;
}

/** The files of the log, oldest first. */
export function segmentNames(directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => /^events(-\d+)?\.jsonl$/.test(name))
    .sort(
      (a, b) => Number(a === "events.jsonl") - Number(b === "events.jsonl") || (a < b ? -1 : 1),
    );
}

/** Everything that was ever logged, from the files. */
export const wholeLog = (directory: string): string =>
  segmentNames(directory)
    .map((name) => readFileSync(join(directory, name), "utf8"))
    .join("");

export function foldOf(events: readonly SessionEvent[]): SessionState {
  const state = emptyState();
  for (const event of events) applyEvent(state, event);
  return state;
}

const id = fc.constantFrom("a", "b", "c", "d", "e");
const text = fc.string({ unit: "grapheme", maxLength: 60 });
const usage = { input_tokens: 1, output_tokens: 2 };

/** Any order of events, also orders that no session would produce. */
export const drafts: fc.Arbitrary<EventDraft> = fc.oneof(
  fc.record({ type: fc.constant("user_message"), id: fc.uuid(), text, quiet: fc.boolean() }),
  fc.record({ type: fc.constant("message_seen"), id }),
  fc.record({
    type: fc.constant("turn_started"),
    turn_id: id,
    messages: fc.array(id),
    cause: fc.constant("message"),
  }),
  fc.record({ type: fc.constant("text_delta"), turn_id: id, block: fc.nat(2), text }),
  fc.record({ type: fc.constant("text_delta"), turn_id: id, block: fc.nat(2), text }),
  fc.record({ type: fc.constant("thinking_delta"), turn_id: id, block: fc.nat(2), text }),
  fc.record({ type: fc.constant("retracted"), turn_id: id, block: fc.nat(2) }),
  fc.record({ type: fc.constant("retracted"), turn_id: id, request_id: id }),
  fc.record({
    type: fc.constant("tool_use"),
    request_id: id,
    tool: fc.constant("Bash"),
    input: fc.record({ command: text }),
  }),
  fc.record({
    type: fc.constant("tool_result"),
    request_id: id,
    output: text,
    is_error: fc.boolean(),
  }),
  fc.record({
    type: fc.constant("approval_request"),
    request_id: id,
    tool: fc.constant("Bash"),
    input: fc.record({ command: text }),
    scopes: fc.constant([{ scope: "once", label: "Once" }]),
  }),
  fc.record({
    type: fc.constant("approval_resolved"),
    request_id: id,
    outcome: fc.constantFrom("allowed", "denied", "superseded"),
    scope: fc.constantFrom("once", "session"),
    granted: fc.array(fc.record({ type: fc.constant("addRules"), rules: fc.array(id) }), {
      maxLength: 1,
    }),
  }),
  fc.record({ type: fc.constant("mode_changed"), mode: fc.constantFrom("plan", "default") }),
  fc.record({
    type: fc.constant("model_changed"),
    model: id,
    effort: fc.constantFrom("low", null),
  }),
  fc.record({
    type: fc.constant("continuation_planned"),
    turn_id: id,
    due: fc.constant("2026-11-20T14:05:00.000Z"),
    messages: fc.array(id),
    id: fc.uuid(),
  }),
  fc.record({ type: fc.constant("continuation_canceled") }),
  fc.record({ type: fc.constant("status"), state: fc.constantFrom("idle", "running") }),
  fc.record({
    type: fc.constant("done"),
    turn_id: id,
    messages: fc.array(id),
    usage: fc.constant(usage),
    cost_usd: fc.constantFrom(0, 0.25),
    duration_ms: fc.nat(),
    stop_reason: fc.constant("completed"),
  }),
) as fc.Arbitrary<EventDraft>;
