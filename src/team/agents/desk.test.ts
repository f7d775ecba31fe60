import { expect, test } from "vitest";
import type { SessionEvent } from "../../wire/session-events.ts";
import { Desk } from "./desk.ts";

const at = "2026-11-15T12:00:00.000Z";
const call: SessionEvent = {
  type: "tool_use",
  seq: 2,
  at,
  request_id: "toolu_1",
  tool: "mcp__team__send_message",
  input: { to: "coder", content: "x", wait: true },
};

test("a call that is faster than the session's own word of it waits for that", async () => {
  const desk = new Desk("boss");
  let heard = false;
  const waiting = desk.heardOfCall("toolu_1", 60_000).then(() => (heard = true));
  await Promise.resolve();
  expect(heard).toBe(false);
  desk.apply({
    type: "turn_started",
    seq: 1,
    at,
    turn_id: "t1",
    messages: ["m"],
    cause: "message",
  });
  desk.apply(call);
  await waiting;
  expect(desk.state.turn?.messages).toEqual(["m"]);
  // What is known need not be waited for, and what never comes is waited for only so long.
  await desk.heardOfCall("toolu_1", 60_000);
  await desk.heardOfCall("toolu_2", 1);
});

test("an agent is not idle while something of its own runs in the background", () => {
  const desk = new Desk("boss");
  const tell = (...tasks: { task_id: string; kind: string; description: string }[]): void =>
    desk.apply({ type: "background_tasks", seq: 1, at, tasks });
  expect(desk.isIdle).toBe(true);
  tell({ task_id: "b1", kind: "local_bash", description: "serve" });
  expect([desk.isIdle, desk.isBusy]).toEqual([false, false]);
  tell();
  expect(desk.isIdle).toBe(true);
});
