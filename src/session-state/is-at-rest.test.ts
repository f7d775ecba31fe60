import { expect, test } from "vitest";
import type { SessionEvent } from "../wire/session/events.ts";
import { applyEvent } from "./apply-event.ts";
import { isAtRest } from "./is-at-rest.ts";
import { emptyState } from "./session-state.ts";

const place = { seq: 1, at: "2026-11-18T10:00:00.000Z" };
const turn_id = "t1";
const usage = { input_tokens: 1, output_tokens: 1 };
const asked = { request_id: "c1", tool: "Bash", input: {}, scopes: [] };
const done = { usage, cost_usd: 0, duration_ms: 1, stop_reason: "completed" };

/** What begins something, and what ends it. */
const spans: [what: string, begin: object, end: object][] = [
  [
    "a message waits",
    { type: "user_message", id: "m1", text: "hi" },
    { type: "message_dropped", id: "m1", reason: "dropped" },
  ],
  [
    "a turn runs",
    { type: "turn_started", turn_id, messages: [], cause: "message" },
    { type: "done", turn_id, messages: [], ...done },
  ],
  [
    "the state is not idle",
    { type: "status", state: "running" },
    { type: "status", state: "idle" },
  ],
  [
    "a person is asked",
    { type: "approval_request", ...asked },
    { type: "approval_resolved", request_id: "c1", outcome: "denied" },
  ],
  [
    "a notice waits for a decision",
    { type: "notice", code: "foreign_writer", message: "m", request_id: "n1" },
    { type: "approval_resolved", request_id: "n1", outcome: "allowed" },
  ],
  [
    "a task runs in the background",
    { type: "background_tasks", tasks: [{ task_id: "b1", kind: "local_bash", description: "d" }] },
    { type: "background_tasks", tasks: [] },
  ],
];

test.each(spans)("[SES-21] isAtRest returns false while %s, and true after it", (_, begin, end) => {
  const state = emptyState();
  expect(isAtRest(state)).toBe(true);
  applyEvent(state, { ...place, ...begin } as SessionEvent);
  expect(isAtRest(state)).toBe(false);
  applyEvent(state, { ...place, ...end } as SessionEvent);
  expect(isAtRest(state)).toBe(true);
});
