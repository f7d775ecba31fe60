import { expect, test } from "vitest";
import type { BackgroundTaskEvent } from "../../../engine/events.ts";
import { parseEvent } from "../../../wire/session/events.ts";
import { emptyState } from "../../../session-state/session-state.ts";
import { startedByDeed, translateTask } from "./translate-subagents.ts";

const logged = { seq: 1, at: "2026-11-17T00:00:00.000Z" };
const progress: BackgroundTaskEvent = {
  type: "background_task",
  task_id: "t1",
  request_id: "c1",
  state: "progress",
  description: "look around",
};

test("a sub-agent's progress and cost so far are recorded", () => {
  const state = emptyState();
  // The sub-agent is not known yet.
  expect(translateTask(progress, state)).toEqual([]);
  state.subagents.set("c1", {
    type: "subagent_started",
    request_id: "c1",
    background: true,
    parent: "c0",
    ...logged,
  });
  const told = { type: "tool_progress", request_id: "c1", parent: "c0" };
  expect(translateTask(progress, state)).toEqual([{ ...told, message: "look around" }]);
  const spent = { total_tokens: 900, tool_uses: 2, duration_ms: 3000 };
  const [draft] = translateTask(
    { ...progress, summary: "at the second file", last_tool: "Read", spent },
    state,
  );
  expect(draft).toEqual({
    ...told,
    message: "at the second file",
    last_tool: "Read",
    elapsed_ms: 3000,
    total_tokens: 900,
    tool_uses: 2,
  });
  expect(parseEvent({ ...draft, ...logged })).toMatchObject({ ok: true, value: draft });
  expect(translateTask({ ...progress, description: "x".repeat(9_000) }, state)).toMatchObject([
    { message: `${"x".repeat(500)}…` },
  ]);
});

test("startedByDeed takes no call of an MCP tool for a sub-agent, however long it runs", () => {
  const state = emptyState();
  const open = { parent: undefined, decision: undefined };
  state.calls.set("c1", { tool: "mcp__team__send_message", input: { to: "coder" }, ...open });
  state.calls.set("c2", { tool: "Agent", input: { description: "look around" }, ...open });
  const deedOf = (parent: string) =>
    startedByDeed({ type: "tool_progress", request_id: "p1", parent } as never, state);
  expect(deedOf("c1")).toEqual([]);
  expect(deedOf("c2")).toMatchObject([{ type: "subagent_started", description: "look around" }]);
});
