import { expect, test, vi } from "vitest";
import { Conversation } from "../support/conversation.ts";
import { setStage } from "../support/rehearsed.ts";
import { copiesInLast, leaveMark, timesRun } from "../support/requests.ts";
import { cliPidOf } from "../support/stage-processes.ts";

const script = {
  rules: [
    { when: { user: "bye" }, text: "Good bye." },
    { when: { user: "work" }, tools: [leaveMark("one", "sleep 4")] },
    { text: "I am here." },
  ],
};

/** A session whose turn runs a tool for some seconds. */
async function atWork() {
  const stage = await setStage(script);
  const talk = await Conversation.start(stage);
  const work = await talk.say("work");
  const { request_id } = await talk.until("approval_request");
  await talk.send({ type: "approve", request_id });
  await vi.waitFor(() => expect(timesRun(stage, "one")).toBe(1), 20_000);
  return { stage, talk, work };
}

test("[SES-58] drop takes back a message that waits in the CLI, and no other", async () => {
  const { stage, talk, work } = await atWork();
  const [kept, dropped] = [
    await talk.say("PROBE-1", { priority: "later" }),
    await talk.say("PROBE-2", { priority: "later" }),
  ];
  await vi.waitFor(() => expect(talk.session.status().queued).toEqual([kept, dropped]));
  expect(await talk.session.handle({ type: "drop", id: dropped }, "ann")).toMatchObject({
    outcome: "dropped",
  });
  expect(await talk.until("message_dropped")).toMatchObject({
    id: dropped,
    reason: "dropped",
    by: "ann",
  });
  expect(talk.session.status().queued).toEqual([kept]);
  // Twice is once.
  expect(await talk.session.handle({ type: "drop", id: dropped }, "bob")).toMatchObject({
    outcome: "dropped",
  });
  expect(talk.all("message_dropped")).toHaveLength(1);
  expect(await talk.session.handle({ type: "drop", id: work }, "ann")).toMatchObject({
    outcome: "too_late",
  });
  await talk.endOf(work);
  await talk.endOf(kept);
  expect(await talk.session.handle({ type: "drop", id: kept }, "ann")).toMatchObject({
    outcome: "too_late",
  });
  await talk.ask("bye");
  expect([copiesInLast(stage, "PROBE-1"), copiesInLast(stage, "PROBE-2")]).toEqual([1, 0]);
});

test("[SES-58] a dropped message stays dropped when the CLI is killed", async () => {
  const { stage, talk } = await atWork();
  const dropped = await talk.say("PROBE-1", { priority: "later" });
  await vi.waitFor(() => expect(talk.session.status().queued).toEqual([dropped]));
  expect(await talk.session.handle({ type: "drop", id: dropped }, "ann")).toMatchObject({
    outcome: "dropped",
  });
  process.kill(cliPidOf(stage), "SIGKILL");
  await talk.until("notice", { fits: ({ code }) => code === "cli_restarted" });
  await talk.ask("bye");
  expect(copiesInLast(stage, "PROBE-1")).toBe(0);
});

test("[SES-58] drop refuses an id that was never accepted", async () => {
  const talk = await Conversation.start(await setStage(script));
  await expect(talk.session.handle({ type: "drop", id: "none" }, "ann")).rejects.toMatchObject({
    code: "unknown_request",
    hint: expect.stringContaining("queued"),
  });
});
