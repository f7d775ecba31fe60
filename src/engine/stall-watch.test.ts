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
  toolUse,
  user,
} from "../../test/support/sdk-messages.ts";
import type { StalledEvent } from "./events.ts";
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

const compacting = system("status", { status: "compacting" });
/** The CLI gives up on a stream; what it does next it does not say. */
const abandoned = { ...messageStop, abandoned_blocks: { from_block_index: 0 } };

/** Takes messages and waits: a number is a time in which nothing comes. Gives the stalls that were told. */
function stalls(...course: (Sample | number)[]): number[] {
  return stallsBy(...course).map(({ silent_ms }) => silent_ms);
}

function stallsBy(...course: (Sample | number)[]): StalledEvent[] {
  const told: StalledEvent[] = [];
  const watch = new StallWatch(STALL_MS, (event) => told.push(event));
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

  it("for complete blocks only, after a longer time", () => {
    const longMs = 3 * STALL_MS;
    for (const course of [[compacting], [messageStart("A"), abandoned]]) {
      expect(stalls(...course, longMs - 1)).toEqual([]);
      expect(stalls(...course, 60 * STALL_MS)).toEqual([longMs]);
    }
  });

  it("for a compaction, whose beginning and attempts the CLI may repeat", () => {
    const course = [requesting, compacting, 1_500, compacting, 1_499, compacting];
    expect(stalls(...course)).toEqual([]);
    expect(stalls(...course, 1)).toEqual([3 * STALL_MS]);
    expect(stalls(compacting, retryIn(500), 3_499)).toEqual([]);
    expect(stalls(compacting, retryIn(500), 3_500)).toEqual([3_500]);
  });

  it("for each attempt, when the CLI gives up on one and makes another", () => {
    const course = [requesting, messageStart("A"), textDelta("a"), STALL_MS];
    expect(stalls(...course, 5_000, abandoned, 60 * STALL_MS)).toEqual([STALL_MS, 3 * STALL_MS]);
  });

  it("with an error that says what to do", () => {
    const [event] = stallsBy(requesting, STALL_MS);
    expect(event).toEqual({
      type: "stalled",
      silent_ms: STALL_MS,
      error: {
        code: "stalled",
        message: "The model has sent nothing for 1 s.",
        retryable: true,
        hint: expect.stringContaining("abort"),
        data: { silent_ms: STALL_MS },
      },
    });
  });

  it("again after text in between", () => {
    expect(stalls(messageStart("A"), STALL_MS, textDelta("a"), STALL_MS)).toEqual([
      STALL_MS,
      STALL_MS,
    ]);
  });

  it("after the pause before the next attempt, which is not silence of the model", () => {
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
      "when the conversation was summed up, or could not be",
      [compacting, compacting, system("status", { status: null })],
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

describe("a sub-agent", () => {
  const LONG_MS = 3 * STALL_MS;
  const from = { parent_tool_use_id: "agent" };
  const started = (fields: object = {}) =>
    system("task_started", { task_type: "local_agent", tool_use_id: "agent", ...fields });
  const says = assistant("S", [textBlock("I look.")], from);
  const calls = (id: string) => assistant("S", [toolUse(id)], from);
  const returned = (id: string) => user([{ type: "tool_result", tool_use_id: id }], from);
  const ended = system("task_notification", { tool_use_id: "agent", status: "completed" });
  const progress = (fields: object) => ({ type: "tool_progress", ...from, ...fields });

  it.each<[string, (Sample | number)[]]>([
    ["from its beginning", [started()]],
    ["after its words", [started(), 2_000, says]],
    [
      "when all its tools have ended",
      [started(), calls("c1"), calls("c2"), returned("c1"), 60_000, returned("c2")],
    ],
    ["in the background, when the turn has ended", [started({ is_backgrounded: true }), result()]],
    ["after the words of a prompt", [started(), 2_000, user("Look!", from)]],
  ])("is reported as silent %s", (_when, course) => {
    expect(stallsBy(...course, LONG_MS - 1)).toEqual([]);
    const [event, ...more] = stallsBy(...course, 60 * STALL_MS);
    expect(event).toMatchObject({ silent_ms: LONG_MS, parent: "agent" });
    expect(event?.error.data).toEqual({ silent_ms: LONG_MS, parent: "agent" });
    expect(more).toEqual([]);
  });

  it.each<[string, (Sample | number)[]]>([
    ["while its tool runs or waits for a decision", [started(), calls("c1"), says]],
    ["when it has ended", [started(), says, ended]],
    ["when the turn that waited for it has ended", [started(), result()]],
    ["when it is no agent but a command", [started({ task_type: "local_bash" })]],
    ["when nothing is known of it", [says]],
  ])("is not reported as silent %s", (_when, course) => {
    expect(stalls(...course, 60 * STALL_MS)).toEqual([]);
  });

  it("is not reported as silent while the CLI waits before a retry", () => {
    const retry = progress({ subagent_retry: { retry_delay_ms: 5_000 } });
    expect(stalls(started(), retry, 5_000, progress({}), LONG_MS - 1)).toEqual([]);
    expect(stalls(started(), retry, 5_000 + LONG_MS)).toEqual([5_000 + LONG_MS]);
  });

  it("does not hide the silence of the main model", () => {
    expect(stalls(requesting, says, STALL_MS)).toEqual([STALL_MS]);
    expect(stalls(started(), requesting, says, STALL_MS)).toEqual([STALL_MS]);
  });
});

it("stop leaves no timer behind", () => {
  const watch = new StallWatch(STALL_MS, () => {});
  watch.take(asMessage(requesting));
  watch.take(asMessage(system("task_started", { task_type: "local_agent", tool_use_id: "agent" })));
  expect(vi.getTimerCount()).toBe(2);
  watch.stop();
  expect(vi.getTimerCount()).toBe(0);
});
