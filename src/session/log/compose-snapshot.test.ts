import { expect, test } from "vitest";
import { applyEvent } from "../../session-state/apply-event.ts";
import { emptyState } from "../../session-state/session-state.ts";
import type { SessionState } from "../../session-state/session-state.ts";
import type { SessionEvent } from "../../wire/session/events.ts";
import { snapshotOf } from "./compose-snapshot.ts";

const at = "2026-11-16T21:00:00.000Z";

function fold(...events: SessionEvent[]): SessionState {
  const state = emptyState();
  for (const event of events) applyEvent(state, event);
  return state;
}

test("a snapshot holds what runs in the background now, and not what ran there before", () => {
  const tasks = [{ task_id: "b1", kind: "local_bash", description: "serve" }];
  const events: SessionEvent[] = [{ type: "background_tasks", seq: 1, at, tasks }];
  const inBackground = (state: SessionState) =>
    snapshotOf(state, { events, whole: true }, 1_000).items.filter(
      ({ type }) => type === "background_tasks",
    );
  expect(inBackground(fold(...events))).toEqual([{ type: "background_tasks", tasks }]);
  expect(inBackground(emptyState())).toEqual([]);
});

test("a snapshot holds a notice that waits for an answer", () => {
  const notice = {
    type: "notice",
    code: "foreign_writer",
    message: "Another program has written.",
    request_id: "foreign_1",
  } as const;
  const state = fold({ ...notice, seq: 1, at });
  const { items } = snapshotOf(state, { events: [], whole: true }, 1_000);
  expect(items).toContainEqual(expect.objectContaining(notice));
});

test("[SES-84] a snapshot holds the tools that clients offer now, and not those that were withdrawn", () => {
  const offer = { type: "tools_offered" as const, client: "c", tools: ["t"], at };
  const events: SessionEvent[] = [
    { ...offer, namespace: "a", seq: 1 },
    { ...offer, namespace: "b", seq: 2 },
    { type: "tools_withdrawn", client: "c", namespace: "a", reason: "away", seq: 3, at },
  ];
  const { items } = snapshotOf(fold(...events), { events, whole: true }, 1_000);
  const told = items.filter(({ type }) => type.startsWith("tools_"));
  expect(told).toMatchObject([{ type: "tools_offered", namespace: "b", tools: ["t"] }]);
});
