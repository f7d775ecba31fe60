import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { findTranscript } from "../../src/engine/recovery/transcript.ts";
import { Conversation } from "../support/conversation.ts";
import { setStage } from "../support/rehearsed.ts";
import { copiesInLast } from "../support/requests.ts";
import { cliPidOf } from "../support/stage-processes.ts";

/** A session with a past, and the beginning of a copy of it, of which Claude Code has written nothing yet. */
async function begin() {
  const stage = await setStage({ rules: [{ text: "I am here." }] });
  const resume = randomUUID();
  const original = await Conversation.start(stage, { sessionId: resume });
  const { cost_usd } = await original.ask("hello PROBE-1.");
  await original.session.close("shutdown");
  const copy = { logName: "copy", sessionId: randomUUID() };
  const talk = await Conversation.start(stage, { ...copy, origin: { resume, fork: true } });
  expect(findTranscript(stage.configDir, copy.sessionId)).toBeUndefined();
  return { stage, copy, talk, cost_usd };
}

test("a fork whose CLI dies before it is made loses neither the message nor the past", async () => {
  const { stage, copy, talk } = await begin();
  const id = await talk.say("in a copy PROBE-2.");
  expect(findTranscript(stage.configDir, copy.sessionId)).toBeUndefined();
  process.kill(cliPidOf(stage), "SIGKILL");
  expect(await talk.endOf(id)).toMatchObject({ stop_reason: "completed" });
  expect(copiesInLast(stage, "PROBE-1.")).toBe(1);
  expect(copiesInLast(stage, "PROBE-2.")).toBe(1);
  expect(findTranscript(stage.configDir, copy.sessionId)).toBeDefined();
});

test("a fork that ends before its first message is still a fork for the next host", async () => {
  const { stage, copy, talk } = await begin();
  await talk.session.close("shutdown");
  const again = await Conversation.start(stage, copy);
  expect(await again.ask("in a copy PROBE-2.")).toMatchObject({ stop_reason: "completed" });
  expect(copiesInLast(stage, "PROBE-1.")).toBe(1);
  expect(copiesInLast(stage, "PROBE-2.")).toBe(1);
});

test("the first turn of a fork costs only what it adds", async () => {
  const { talk, cost_usd } = await begin();
  const first = await talk.ask("in a copy");
  const second = await talk.ask("and again");
  expect(cost_usd).toBeGreaterThan(0);
  expect(first.cost_usd).toBeGreaterThan(0);
  expect(first.cost_usd).toBeLessThan(1.5 * cost_usd);
  expect(talk.log.state.costUsd).toBeCloseTo(first.cost_usd + second.cost_usd, 9);
});
