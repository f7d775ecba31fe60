import { appendFileSync, readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { findTranscript } from "../../src/engine/recovery/transcript.ts";
import type { Timers } from "../../src/time/clock.ts";
import { systemClock } from "../../src/time/clock.ts";
import { Conversation } from "../support/conversation.ts";
import { setStage } from "../support/rehearsed.ts";
import { copiesInLast, leaveMark, modelRequests, timesRun } from "../support/requests.ts";
import { cliPidOf } from "../support/stage-processes.ts";

const script = {
  rules: [
    // First, because words that were never answered stand before the next ones.
    { when: { user: "bye" }, text: "Good bye." },
    { when: { user: "work" }, tools: [leaveMark("one", "sleep 30")] },
    { when: { user: "tell" }, text: "A long story.", delta_chars: 1, delta_delay_ms: 500 },
    { when: { user: "fail" }, fault: { kind: "http" as const, status: 500 } },
    { text: "I am here." },
  ],
};

/** The session's patience with a CLI that was told to stop. */
const ABORT_MS = 5_000;
/** Far more than an abort takes, far less than what is aborted. */
const BOUND_MS = 12_000;

test("in every phase of a turn an abort ends it in bounded time, and the session goes on", async () => {
  const stage = await setStage(script);
  const talk = await Conversation.start(stage);
  const abort = async (id: string, more: { queue?: "keep" | "drop" } = {}) => {
    const start = performance.now();
    await talk.send({ type: "abort", ...more });
    expect(performance.now() - start).toBeLessThan(BOUND_MS);
    expect(await talk.endOf(id)).toMatchObject({ stop_reason: "aborted" });
    expect(talk.session.status()).toMatchObject({ pending: [] });
  };
  // Nothing runs: nothing happens.
  await talk.send({ type: "abort" });

  // In the middle of an answer; what waits is kept, and runs next.
  const story = await talk.say("tell me");
  await talk.until("text_delta");
  const kept = await talk.say("hello PROBE-1");
  await abort(story);
  expect(await talk.endOf(kept)).toMatchObject({ stop_reason: "completed" });

  // In the middle of an answer; what waits is dropped, and never reaches the model.
  const again = await talk.say("tell me more");
  await talk.until("text_delta", { since: talk.told.length });
  const dropped = await talk.say("hello PROBE-2");
  await vi.waitFor(() => expect(talk.session.status().queued).toEqual([dropped]));
  await abort(again, { queue: "drop" });
  expect(await talk.until("message_dropped")).toMatchObject({ id: dropped, reason: "aborted" });

  // While a question is open.
  const asked = await talk.say("work");
  const { request_id } = await talk.until("approval_request");
  await abort(asked);
  expect(await talk.until("approval_resolved")).toMatchObject({ request_id, outcome: "aborted" });
  await expect(talk.send({ type: "approve", request_id })).rejects.toMatchObject({
    code: "already_resolved",
  });
  expect(timesRun(stage, "one")).toBe(0);

  // In the middle of a tool.
  const since = talk.told.length;
  const working = await talk.say("work");
  const request = await talk.until("approval_request", { since });
  await talk.send({ type: "approve", request_id: request.request_id });
  await vi.waitFor(() => expect(timesRun(stage, "one")).toBe(1), 20_000);
  await abort(working);

  // While the CLI waits before it asks the API again.
  const failing = await talk.say("fail");
  await talk.until("retry");
  await abort(failing);

  expect(await talk.ask("bye")).toMatchObject({ stop_reason: "completed" });
  expect(copiesInLast(stage, "PROBE-1")).toBe(1);
  expect(copiesInLast(stage, "PROBE-2")).toBe(0);
  expect(talk.all("turn_started")).toHaveLength(talk.all("done").length);
});

test("a CLI that does not obey is ended, and its successor goes on without the turn", async () => {
  const stage = await setStage(script);
  const talk = await Conversation.start(stage);
  await talk.ask("hello PROBE-1");
  const story = await talk.say("tell me");
  await talk.until("text_delta", { since: talk.told.length });
  process.kill(cliPidOf(stage), "SIGSTOP");
  const late = await talk.say("PROBE-2");
  await talk.send({ type: "abort" });
  expect(await talk.endOf(story)).toMatchObject({ stop_reason: "aborted" });
  expect(await talk.endOf(late)).toMatchObject({ stop_reason: "completed" });
  expect(copiesInLast(stage, "PROBE-1")).toBe(1);
  expect(copiesInLast(stage, "PROBE-2")).toBe(1);
});

/** Time as it is, but the patience with a CLI that was told to stop ends when the test says so. */
function patience() {
  const ends: (() => void)[] = [];
  const timers: Timers = {
    after: (ms, run) => {
      if (ms !== ABORT_MS) return systemClock.after(ms, run);
      ends.push(run);
      return () => {};
    },
  };
  const end = async (justBefore = () => {}): Promise<void> => {
    await vi.waitFor(() => expect(ends).toHaveLength(1));
    justBefore();
    ends[0]!();
  };
  return { timers, end };
}

test("messages that a hanging CLI was given are dropped by abort with queue: drop, and later ones run", async () => {
  const stage = await setStage(script);
  const { timers, end } = patience();
  const talk = await Conversation.start(stage, { timers });
  await talk.ask("hello PROBE-1");
  process.kill(cliPidOf(stage), "SIGSTOP");
  const stuck = await talk.say("PROBE-2");
  const aborted = talk.send({ type: "abort", queue: "drop" });
  const later = await talk.say("bye");
  await end();
  await aborted;
  expect(talk.all("message_dropped")).toMatchObject([{ id: stuck, reason: "aborted" }]);
  expect(await talk.endOf(later)).toMatchObject({ stop_reason: "completed" });
  expect(talk.all("message_dropped")).toHaveLength(1);
  expect(copiesInLast(stage, "PROBE-1")).toBe(1);
  expect(copiesInLast(stage, "PROBE-2")).toBe(0);
});

test("messages that a CLI wrote down before it was ended are not reported as dropped, and do not run", async () => {
  const stage = await setStage(script);
  const { timers, end } = patience();
  const talk = await Conversation.start(stage, { timers });
  await talk.ask("hello");
  process.kill(cliPidOf(stage), "SIGSTOP");
  const id = await talk.say("PROBE-1");
  const aborted = talk.send({ type: "abort", queue: "drop" });
  const { configDir } = stage;
  const path = findTranscript(configDir, talk.session.status().session_id)!;
  const rows = readFileSync(path, "utf8").trimEnd().split("\n");
  const parsed = rows.map((row) => JSON.parse(row) as Record<string, unknown>);
  const hello = parsed.find(({ type }) => type === "user");
  const last = parsed.findLast(({ uuid }) => uuid !== undefined);
  const message = { role: "user", content: "PROBE-1" };
  const row = { ...hello, uuid: id, parentUuid: last?.["uuid"], message };
  // In one step, so that the session does not read the file in between.
  await end(() => appendFileSync(path, `${JSON.stringify(row)}\n`));
  await aborted;
  expect(await talk.endOf(id)).toMatchObject({ stop_reason: "aborted" });
  expect(talk.all("message_dropped")).toEqual([]);
  expect(await talk.ask("bye")).toMatchObject({ stop_reason: "completed" });
  expect(copiesInLast(stage, "PROBE-1")).toBe(1);
});

test("of two concurrent aborts, one keeping and one dropping the queue, the dropping one wins", async () => {
  const stage = await setStage(script);
  const talk = await Conversation.start(stage);
  const story = await talk.say("tell me");
  await talk.until("text_delta");
  const waiting = await talk.say("hello PROBE-1");
  await vi.waitFor(() => expect(talk.session.status().queued).toEqual([waiting]));
  await Promise.all([talk.send({ type: "abort", queue: "drop" }), talk.send({ type: "abort" })]);
  expect(await talk.endOf(story)).toMatchObject({ stop_reason: "aborted" });
  expect(talk.all("message_dropped")).toMatchObject([{ id: waiting, reason: "aborted" }]);
  expect(talk.session.status().queued).toEqual([]);
});

test("an aborted turn does not continue when its CLI dies meanwhile", async () => {
  const stage = await setStage(script);
  const talk = await Conversation.start(stage);
  const story = await talk.say("tell me");
  await talk.until("text_delta");
  const pid = cliPidOf(stage);
  process.kill(pid, "SIGSTOP");
  const aborted = talk.send({ type: "abort" });
  process.kill(pid, "SIGKILL");
  await aborted;
  expect(await talk.endOf(story)).toMatchObject({ stop_reason: "aborted" });
  expect(await talk.ask("bye")).toMatchObject({ stop_reason: "completed" });
  expect(talk.all("turn_started")).toHaveLength(2);
});

test("an abort while no CLI runs ends the turn that was cut", async () => {
  const stage = await setStage(script);
  const talk = await Conversation.start(stage, {
    // The wait before the second start is as long as the test likes.
    timers: {
      after: (ms, run) => {
        const timer = setTimeout(run, ms === 1_000 ? 3_000 : ms);
        return () => clearTimeout(timer);
      },
    },
  });
  await talk.ask("hello");
  process.kill(cliPidOf(stage), "SIGKILL");
  await talk.until("notice");
  const story = await talk.say("tell me");
  await talk.until("text_delta", { since: talk.told.length });
  const since = talk.told.length;
  process.kill(cliPidOf(stage), "SIGKILL");
  await talk.until("notice", { since });
  await talk.send({ type: "abort" });
  expect(await talk.endOf(story)).toMatchObject({ stop_reason: "aborted" });
  const count = modelRequests(stage).length;
  expect(await talk.ask("bye")).toMatchObject({ stop_reason: "completed" });
  expect(modelRequests(stage)).toHaveLength(count + 1);
});

test("[SES-44] a message that joins the turn while abort drops the queue is not dropped, and done names it", async () => {
  const bash = [{ name: "Bash", input: { command: "sleep 0.5" } }];
  const stage = await setStage({
    rules: [
      { when: { user: "bye" }, text: "Good bye." },
      { when: { user: "work" }, tools: bash, times: 1 },
      { text: "A long story.", delta_chars: 1, delta_delay_ms: 100 },
    ],
  });
  const talk = await Conversation.start(stage, { allowedTools: ["Bash"] });
  const work = await talk.say("work");
  await talk.until("tool_use");
  const joined = await talk.say("hello PROBE-1");
  // Claude Code takes it in now, and has not written it down.
  await talk.until("tool_result");
  await talk.send({ type: "abort", queue: "drop" });
  expect(await talk.endOf(work)).toMatchObject({
    stop_reason: "aborted",
    messages: [work, joined],
  });
  expect(talk.all("message_seen").map(({ id }) => id)).toContain(joined);
  expect(talk.all("message_dropped")).toEqual([]);
  await talk.ask("bye");
  expect(copiesInLast(stage, "PROBE-1")).toBe(1);
});
