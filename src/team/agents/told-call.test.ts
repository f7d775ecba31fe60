import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import type { SessionEvent } from "../../wire/session-events.ts";
import { Desk } from "./desk.ts";
import { isCallTold } from "./told-call.ts";

const at = "2026-11-15T12:00:00.000Z";
const callOf = (seq: number): SessionEvent => ({
  type: "tool_use",
  seq,
  at,
  request_id: "toolu_1",
  tool: "mcp__team__send_message",
  input: {},
});

const stageOf = (lastSeq: number, isThere = true) => {
  const desk = new Desk("boss");
  const status = async () => ({ last_seq: lastSeq }) as never;
  const stage = { desk, isThere, isOver: false, end: new AbortController() };
  const session = { status };
  const listening = {
    desk,
    heardOut: () => (stage.isThere ? session : undefined),
    isOver: () => stage.isOver,
  };
  const told = isCallTold("toolu_1", listening, stage.end.signal, 20);
  // It may be refused before anybody looks.
  told.catch(() => {});
  return { stage, desk, told };
};

test("the clock of a call stands still until its session has been heard out", async () => {
  const { stage, desk, told } = stageOf(1, false);
  await delay(100);
  desk.apply(callOf(1));
  stage.isThere = true;
  expect(await told).toBe(true);
});

test("a session that has told more than was heard so far is heard first", async () => {
  const { desk, told } = stageOf(7);
  await delay(60);
  desk.apply(callOf(7));
  expect(await told).toBe(true);
});

test("a call of which a session that was heard out says nothing is none of its calls", async () => {
  const { told } = stageOf(0);
  expect(await told).toBe(false);
});

test("nobody waits for an agent that was given up, or for a caller that has left", async () => {
  const given = stageOf(0, false);
  given.stage.isOver = true;
  expect(await given.told).toBe(false);
  const left = stageOf(7);
  left.stage.end.abort(new Error("it left"));
  await expect(left.told).rejects.toThrow("it left");
});

test("a call that has come twice is told to both", async () => {
  const desk = new Desk("boss");
  const both = [desk.heardOfCall("toolu_1", 60_000), desk.heardOfCall("toolu_1", 60_000)];
  desk.apply(callOf(1));
  expect(await Promise.all(both)).toEqual([true, true]);
});
