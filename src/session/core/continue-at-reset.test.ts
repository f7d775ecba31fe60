import { expect, onTestFinished, test } from "vitest";
import { HandClock } from "../../../test/support/hand-clock.ts";
import { eventsOf, hear, textOf } from "../../../test/support/log-stage.ts";
import { memoryDir } from "../../../test/support/temp-dir.ts";
import { isAtRest } from "../../session-state/is-at-rest.ts";
import { stateFromJson, stateToJson } from "../../session-state/state-json.ts";
import { snapshotOf } from "../log/compose-snapshot.ts";
import { openLog } from "../log/open-log.ts";
import { ContinueAtReset } from "./continue-at-reset.ts";
import { Inbox } from "./inbox.ts";
import { Recorder } from "./event-recorder.ts";
import { Turns } from "./open-and-end-turns.ts";

const HOUR_MS = 3_600_000;
const limited = {
  code: "api_rate_limited",
  message: "limit",
  retryable: true,
  hint: "wait",
} as const;

/** The parts of a session that go on by themselves, on a log; `restart` is another host. */
function stage({ isOn = true, directory = memoryDir(), clock = new HandClock() } = {}) {
  const log = openLog(directory);
  onTestFinished(() => log.close());
  const heard = hear(log);
  const recorder = new Recorder(log);
  const inbox = new Inbox(recorder, clock);
  const turns = new Turns(recorder, inbox);
  const pushed: string[] = [];
  inbox.open(({ id }) => pushed.push(id));
  const timers = { after: clock.after.bind(clock) };
  const wallMs = () => clock.wallMs();
  const continuation = new ContinueAtReset({ recorder, inbox, turns, timers, wallMs, isOn });
  const say = (id: string) =>
    inbox.accept({ type: "message", id, text: id, priority: "next", quiet: false }, "ada");
  /** A turn that the limit ends, as the CLI tells it. */
  const limit = (messages: string[], resetsInMs: number | undefined) => {
    if (resetsInMs !== undefined) {
      const resets_at = new Date(clock.wallMs() + resetsInMs).toISOString();
      continuation.limitIs({ type: "rate_limit", status: "rejected", resets_at });
    }
    turns.begin(messages, "message");
    const continueAt = continuation.dueAfter(limited);
    turns.end({ stopReason: "failed", messages, error: limited, continueAt });
    continuation.wait();
  };
  const told = async (...types: string[]) => {
    await log.durable();
    return eventsOf(textOf(heard)).filter(({ type }) => types.includes(type));
  };
  const restart = async () => {
    continuation.close();
    await log.close();
    return stage({ isOn, directory, clock });
  };
  return { log, clock, inbox, turns, continuation, say, limit, pushed, told, restart };
}

test("[SES-93] a turn that the limit ends keeps its messages open, and the session goes on once at the reset", async () => {
  const { clock, log, say, limit, pushed, told, turns } = stage();
  await say("m1");
  limit(["m1"], HOUR_MS);
  const due = new Date(clock.wallMs() + HOUR_MS).toISOString();
  expect(await told("continuation_planned", "done")).toMatchObject([
    { type: "continuation_planned", due, messages: ["m1"], id: "continue-t2" },
    { type: "done", messages: [], stop_reason: "failed" },
  ]);
  expect([log.state.accepted.size, isAtRest(log.state)]).toEqual([0, false]);
  clock.pass(HOUR_MS - 1);
  await log.durable();
  expect(pushed).toHaveLength(1);
  clock.pass(1);
  await expect.poll(() => pushed).toHaveLength(2);
  clock.pass(24 * HOUR_MS);
  expect(await told("user_message")).toMatchObject([
    { id: "m1" },
    { id: "continue-t2", by: "continue-at-reset" },
  ]);
  turns.begin(["continue-t2"], "message");
  turns.end({ stopReason: "completed", messages: ["continue-t2"] });
  expect((await told("turn_started", "done")).slice(-2)).toMatchObject([
    { messages: ["m1", "continue-t2"] },
    { messages: ["m1", "continue-t2"] },
  ]);
  expect([log.state.continuation, isAtRest(log.state)]).toEqual([undefined, true]);
});

test("[SES-93] a host that is started again goes on, once, at the time of the wall clock", async () => {
  const first = stage();
  await first.say("m1");
  first.limit(["m1"], HOUR_MS);
  const second = await first.restart();
  second.continuation.wait();
  // The machine slept: the timers stood still, the wall clock did not. It is read again twice a minute.
  const wall = second.clock.wallMs.bind(second.clock);
  second.clock.wallMs = () => wall() + HOUR_MS;
  second.clock.pass(30_000);
  await expect.poll(() => second.pushed).toHaveLength(1);
  // Killed after the message was accepted: it waits in the log, and is not sent a second time.
  const third = await second.restart();
  third.continuation.wait();
  third.clock.pass(48 * HOUR_MS);
  await third.log.durable();
  expect(await third.told("user_message")).toEqual([]);
  expect(third.log.state.accepted.has("continue-t2")).toBe(true);
  expect(third.log.state.continuation).toMatchObject({ sent: true });
});

test("[SES-94] a cancellation ends the open messages as failed, also when the host is killed in the middle of it", async () => {
  const { say, limit, continuation, told, clock, log } = stage();
  await say("m1");
  limit(["m1"], HOUR_MS);
  await continuation.cancel("bob");
  expect((await told("continuation_canceled", "done")).slice(-2)).toMatchObject([
    { type: "continuation_canceled", by: "bob" },
    { type: "done", messages: ["m1"], stop_reason: "failed" },
  ]);
  clock.pass(2 * HOUR_MS);
  expect(await told("user_message")).toHaveLength(1);
  expect(isAtRest(log.state)).toBe(true);
  await continuation.cancel("bob");
  expect(await told("continuation_canceled")).toHaveLength(1);

  const cut = stage();
  await cut.say("m1");
  cut.limit(["m1"], HOUR_MS);
  cut.log.append({ type: "continuation_canceled", by: "bob" });
  const again = await cut.restart();
  again.continuation.wait();
  expect(await again.told("done")).toMatchObject([{ messages: ["m1"], stop_reason: "failed" }]);
  expect(again.log.state.continuation).toBeUndefined();
});

test("[SES-93] the next turn with a message takes the open ones over, and a second limit plans anew", async () => {
  const { say, limit, told, clock, pushed, log } = stage();
  await say("m1");
  limit(["m1"], HOUR_MS);
  await say("m2");
  limit(["m2"], 2 * HOUR_MS);
  expect((await told("continuation_planned")).at(-1)).toMatchObject({
    messages: ["m1", "m2"],
    id: "continue-t10",
  });
  clock.pass(HOUR_MS);
  await log.durable();
  expect(pushed).toHaveLength(2);
  clock.pass(HOUR_MS);
  await expect.poll(() => pushed).toHaveLength(3);
});

test("[SES-93] a reset that lies in the past is tried a minute later; without a known reset, or the flag, nothing is planned", async () => {
  const { say, limit, told, clock } = stage();
  await say("m1");
  limit(["m1"], -HOUR_MS);
  expect(await told("continuation_planned")).toMatchObject([
    { due: new Date(clock.wallMs() + 60_000).toISOString() },
  ]);
  const unknown = stage();
  await unknown.say("m1");
  unknown.limit(["m1"], undefined);
  expect(await unknown.told("notice", "done")).toMatchObject([
    { code: "rate_limit", message: expect.stringContaining("did not say when") },
    { messages: ["m1"] },
  ]);
  const off = stage({ isOn: false });
  await off.say("m1");
  off.limit(["m1"], HOUR_MS);
  expect(await off.told("continuation_planned", "notice")).toEqual([]);
  expect(await off.told("done")).toMatchObject([{ messages: ["m1"] }]);
});

test("[SES-93] the plan is part of the saved state and of a snapshot, until its message is accepted", async () => {
  const { say, limit, log, clock, pushed } = stage();
  await say("m1");
  limit(["m1"], HOUR_MS);
  const planned = () =>
    snapshotOf(log.state, { events: [], whole: true }, 1_000).items.filter(
      ({ type }) => type === "continuation_planned",
    );
  expect(planned()).toMatchObject([{ messages: ["m1"] }]);
  const { continuation } = stateFromJson(stateToJson(log.state), log.state.acceptedIds);
  expect(continuation).toEqual(log.state.continuation);
  clock.pass(HOUR_MS);
  await expect.poll(() => pushed).toHaveLength(2);
  expect(planned()).toEqual([]);
});
