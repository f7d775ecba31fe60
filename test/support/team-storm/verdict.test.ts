import { expect, test } from "vitest";
import { idOfAutomaticAnswer, idOfCall } from "../../../src/team/messages/derive-message-id.ts";
import type { TeamEvent } from "../../../src/wire/team/events.ts";
import type { CCMessage } from "../../../src/wire/team/messages.ts";
import { messageOf } from "../team-messages.ts";
import type { Asked, HostStrike } from "./verdict.ts";
import {
  findMissing,
  judgeAnswers,
  judgeCalls,
  judgeCopies,
  judgeOrder,
  readingOf,
} from "./verdict.ts";

// A judge who finds nothing may be blind: each fault is planted here, and has to be found.

const from = { from_agent: "boss", to_agent: "coder" };
const one = messageOf({ ...from, content: "one" });
const two = messageOf({ ...from, content: "two" });
const job = messageOf({ from_agent: "user", to_agent: "boss", content: "job-1 please" });

const shown = (...messages: CCMessage[]): string =>
  messages
    .map(({ id, from_agent, content }) => (from_agent === "user" ? content : `message id: ${id}`))
    .join(" ");

type Conversation = Omit<Asked, "atMs">;
const coder = (...messages: CCMessage[]): Conversation => ({
  agent: "coder",
  words: shown(...messages),
});
const asBoss = (...messages: CCMessage[]): Conversation => ({
  agent: "boss",
  words: shown(...messages),
});

/** One request each ten seconds. */
const EVERY_MS = 10_000;
const copies = (
  messages: readonly CCMessage[],
  asked: readonly Conversation[],
  more: Parameters<typeof judgeCopies>[2] = {},
): string[] =>
  judgeCopies(
    messages,
    asked.map((each, index) => readingOf({ ...each, atMs: index * EVERY_MS })),
    more,
  );
/** In the pause before the request of that number. */
const hostStruck = (agent: string, index: number): HostStrike => ({
  agent,
  fromMs: (index - 0.5) * EVERY_MS,
  untilMs: (index - 0.4) * EVERY_MS,
});
const at = { at: "2026-11-15T12:00:00.000Z" };
const sent = (message: CCMessage, seq: number): TeamEvent => ({
  type: "message_sent",
  message,
  bytes: 1,
  seq,
  ...at,
});

test("a copy too many, and one that was there and is gone", () => {
  const asked = [coder(), coder(one), coder(one, two), asBoss(job)];
  expect(copies([one, two, job], asked)).toEqual([]);
  expect(copies([one], [coder(one), coder(one, one)])).toEqual([
    expect.stringContaining("copies 1 2"),
  ]);
  expect(copies([one], [coder(one), coder(two)])).toEqual([expect.stringContaining("copies 1 0")]);
  expect(copies([job], [asBoss(job, job)])).toEqual([expect.stringContaining("copies 2")]);
  const carried = { agent: "coder", words: `${shown(one)} Answer from boss (message ${one.id})` };
  expect(copies([one], [carried])).toEqual([expect.stringContaining("copies 2")]);
});

test("one that is gone for a while, only because its recipient's host was struck, and only for a while", () => {
  const gone = [coder(one), asBoss(), coder(), coder(), coder(one)];
  const strikes = [hostStruck("coder", 2)];
  expect(copies([one], gone, { strikes })).toEqual([]);
  // A request of the dying CLI may be written down a little after its death, and the strike come before it.
  const dying = [{ agent: "coder", fromMs: -400, untilMs: -300 }];
  expect(copies([one], gone, { strikes: dying })).toEqual([]);

  const wrong = [expect.stringContaining("copies 1 0 0 1")];
  expect(copies([one], gone)).toEqual(wrong);
  expect(copies([one], gone, { strikes: [hostStruck("boss", 2)] })).toEqual(wrong);
  expect(copies([one], gone, { strikes: [hostStruck("coder", 0)] })).toEqual(wrong);
  expect(copies([one], gone, { strikes: [hostStruck("coder", 3)] })).toEqual(wrong);
  // Each time that it goes needs a strike of its own.
  expect(copies([one], [...gone, coder(), coder(one)], { strikes })).toHaveLength(1);
  // No strike is a reason for two, and none for a message that stays away.
  expect(
    copies([one], [coder(one), coder(one, one)], { strikes: [hostStruck("coder", 1)] }),
  ).toEqual([expect.stringContaining("copies 1 2")]);
  const away = gone.slice(0, 4);
  expect(copies([one], away, { strikes })).toEqual([expect.stringContaining("copies 1 0 0")]);
  expect(copies([one], away, { strikes, isOver: false })).toEqual([]);
  expect(copies([one], away, { isOver: false })).toHaveLength(1);
});

test("a message that never arrived", () => {
  expect(findMissing([one, two], new Map([["coder", shown(one, two)]]))).toEqual([]);
  expect(findMissing([one, two], new Map([["coder", shown(one)]]))).toEqual([
    expect.stringContaining('"two"'),
  ]);
  expect(findMissing([one], new Map())).toEqual([expect.stringContaining("0 copies")]);
});

const answerOf = (root_id: string, content: string) =>
  messageOf({ ...from, type: "task_response", root_id, content });

test("answers keep their order within a job, and may overtake those of another job", () => {
  const [first, second, other] = [
    answerOf("a", "1"),
    answerOf("a", "2"),
    answerOf("b", "3"),
  ] as const;
  const events = [sent(first, 1), sent(second, 2), sent(other, 3)];
  expect(judgeOrder(events, new Map([["coder", shown(other, first, second)]]))).toEqual([]);
  expect(judgeOrder(events, new Map([["coder", shown(second, first, other)]]))).toHaveLength(1);
});

test("an order that was not kept, but not of what a call waited for", () => {
  const events = [sent(one, 1), sent(two, 2)];
  expect(judgeOrder(events, new Map([["coder", shown(one, two)]]))).toEqual([]);
  const turned = new Map([["coder", shown(two, one)]]);
  expect(judgeOrder(events, turned)).toEqual([
    'boss → coder, normal, work: "two" stands before "one"',
  ]);
  const returned: TeamEvent = {
    type: "message_moved",
    id: two.id,
    ...from,
    step: "returned",
    seq: 3,
    ...at,
  };
  expect(judgeOrder([...events, returned], turned)).toEqual([]);
  // The step may have got lost with the process that would have told it.
  const carried = `Answer from boss (message ${two.id}) ${shown(one)}`;
  expect(judgeOrder(events, new Map([["coder", carried]]))).toEqual([]);
  const three = messageOf({ ...from, content: "three" });
  const between = `${shown(three)} ${carried}`;
  expect(judgeOrder([...events, sent(three, 3)], new Map([["coder", between]]))).toEqual([
    'boss → coder, normal, work: "three" stands before "one"',
  ]);
});

test("a message that comes from no call, or twice from one", () => {
  const logIds = new Map([["boss", "log"]]);
  const called = messageOf({ ...from, id: idOfCall("log", "toolu_1") });
  const answer = messageOf({ id: idOfAutomaticAnswer(called.id), reply_to: called.id });
  expect(judgeCalls([called, answer, job], ["toolu_1"], logIds)).toEqual([]);
  expect(judgeCalls([called, called], ["toolu_1"], logIds)).toHaveLength(1);
  expect(judgeCalls([one], ["toolu_1"], logIds)).toEqual([
    expect.stringContaining("comes from no call"),
  ]);
});

test("an answer that is missing, doubled, failed, or another's", () => {
  const jobs = new Map([[job.id, 1]]);
  const answered = (text: string, failed = false): TeamEvent => ({
    type: "answered",
    id: job.id,
    agent: "boss",
    text,
    failed,
    seq: 1,
    ...at,
  });
  expect(judgeAnswers([answered("Done-1. Asked-2.")], jobs)).toEqual([]);
  const wrong = [
    [],
    [answered("Done-1."), answered("Done-1.")],
    [answered("Done-1.", true)],
    [answered("Done-12.")],
  ];
  for (const events of wrong) expect(judgeAnswers(events, jobs)).toHaveLength(1);
});
