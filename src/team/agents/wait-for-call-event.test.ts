import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { SessionView } from "../../client/index.ts";
import type { SessionEvent } from "../../wire/session/events.ts";
import { isCallShown } from "./wait-for-call-event.ts";

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
  const view = new SessionView();
  const status = async () => ({ last_seq: lastSeq }) as never;
  const stage = {
    view,
    there: Promise.withResolvers<{ status: typeof status } | undefined>(),
    end: new AbortController(),
  };
  if (isThere) stage.there.resolve({ status });
  const shown = { view, untilCaughtUp: () => stage.there.promise };
  const isShown = isCallShown("toolu_1", shown, stage.end.signal, 20);
  // It may be refused before anybody looks.
  isShown.catch(() => {});
  return { stage, view, isShown, status };
};

test("isCallShown waits without a limit until the events of the session have been read", async () => {
  const { stage, view, isShown, status } = stageOf(1, false);
  await delay(100);
  view.apply(callOf(1));
  stage.there.resolve({ status });
  expect(await isShown).toBe(true);
});

test("isCallShown gives the session more time while it has events that were not read", async () => {
  const { view, isShown } = stageOf(7);
  await delay(60);
  view.apply(callOf(7));
  expect(await isShown).toBe(true);
});

test("isCallShown is false when all events of the session have been read and none shows the call", async () => {
  const { isShown } = stageOf(0);
  expect(await isShown).toBe(false);
});

test("isCallShown ends when the agent will have no session, and when its caller has left", async () => {
  const given = stageOf(0, false);
  given.stage.there.resolve(undefined);
  expect(await given.isShown).toBe(false);
  const left = stageOf(7);
  left.stage.end.abort(new Error("it left"));
  await expect(left.isShown).rejects.toThrow("it left");
});
