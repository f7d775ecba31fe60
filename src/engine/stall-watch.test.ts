import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Sample } from "../../test/support/sdk-messages.ts";
import {
  asMessage,
  assistant,
  messageStart,
  messageStop,
  result,
  stream,
  textBlock,
  textDelta,
} from "../../test/support/sdk-messages.ts";
import { StallWatch } from "./stall-watch.ts";

const STALL_MS = 1_000;

const system = (subtype: string, fields: object = {}): Sample => ({
  type: "system",
  subtype,
  ...fields,
});
const requesting = system("status", { status: "requesting" });
const retryIn = (retry_delay_ms: unknown) => system("api_retry", { retry_delay_ms });
const thinking = system("thinking_tokens", { estimated_tokens: 4 });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Takes messages and waits: a number is a time in which nothing comes. Gives the stalls that were told. */
function stalls(...course: (Sample | number)[]): number[] {
  const told: number[] = [];
  const watch = new StallWatch(STALL_MS, (silentMs) => told.push(silentMs));
  for (const step of course) {
    if (typeof step === "number") vi.advanceTimersByTime(step);
    else watch.take(asMessage(step));
  }
  return told;
}

describe("silence is told", () => {
  it.each<[string, (Sample | number)[]]>([
    ["after a request", [requesting]],
    ["after the beginning of an answer", [requesting, 900, messageStart("A")]],
    ["in the middle of an answer", [messageStart("A"), 900, textDelta("a")]],
    [
      "between two blocks of an answer",
      [messageStart("A"), textDelta("a"), assistant("A", [textBlock("a")])],
    ],
    ["after hidden thoughts", [messageStart("A"), 900, thinking]],
    ["in the request that follows a tool", [requesting, messageStop, 5_000, requesting]],
    ["after an event that this version cannot read", [{ type: "stream_event" }]],
  ])("%s, once, and not before its time", (_when, course) => {
    expect(stalls(...course, STALL_MS - 1)).toEqual([]);
    expect(stalls(...course, STALL_MS)).toEqual([STALL_MS]);
    expect(stalls(...course, 60 * STALL_MS)).toEqual([STALL_MS]);
  });

  it("again, when words came in between", () => {
    expect(stalls(messageStart("A"), STALL_MS, textDelta("a"), STALL_MS)).toEqual([
      STALL_MS,
      STALL_MS,
    ]);
  });

  it("after the wait before the next attempt, which is no silence of the model", () => {
    expect(stalls(requesting, retryIn(5_000), 5_000 + STALL_MS - 1)).toEqual([]);
    expect(stalls(requesting, retryIn(5_000), 5_000 + STALL_MS)).toEqual([5_000 + STALL_MS]);
    expect(stalls(requesting, retryIn(undefined), STALL_MS)).toEqual([STALL_MS]);
  });
});

describe("silence is nothing", () => {
  it.each<[string, Sample[]]>([
    ["before anything was asked", []],
    ["after a whole answer, while tools run or a person decides", [messageStart("A"), messageStop]],
    ["after an answer that was not streamed", [requesting, assistant("A", [textBlock("a")])]],
    [
      "after a retry that was answered without a stream",
      [messageStart("A"), retryIn(0), assistant("B", [textBlock("b")])],
    ],
    ["when the turn has ended", [messageStart("A"), result()]],
    [
      "while the conversation is summed up",
      [requesting, system("status", { status: "compacting" })],
    ],
    [
      "when a late count of thoughts comes behind the answer",
      [messageStart("A"), messageStop, thinking],
    ],
    ["after a status that says nothing of a request", [system("status", { status: null })]],
  ])("%s", (_when, course) => {
    expect(stalls(...course, 60 * STALL_MS)).toEqual([]);
  });

  it("as long as signs of life come", () => {
    const alive = [textDelta("a"), stream({ type: "ping" }), thinking].flatMap((step) => [
      step,
      STALL_MS - 1,
    ]);
    expect(stalls(messageStart("A"), ...alive, ...alive, ...alive)).toEqual([]);
  });
});

it("stop leaves no timer behind", () => {
  const watch = new StallWatch(STALL_MS, () => {});
  watch.take(asMessage(requesting));
  expect(vi.getTimerCount()).toBe(1);
  watch.stop();
  expect(vi.getTimerCount()).toBe(0);
});
