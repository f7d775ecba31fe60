import { expect, test } from "vitest";
import { nextStandby } from "./standby-state.ts";

const start = { silentMs: 0, tickedMs: 0 };
const beat = { epoch: 1, name: "h1" };

/** What follows from ticks at these times. */
function ticked(...times: number[]): string[] {
  let state = start;
  return times.map((nowMs) => {
    const [next, then] = nextStandby(state, { type: "tick", nowMs }, 5000);
    state = next;
    return then.do;
  });
}

test("a standby follows when it has listened to a silent office for long enough", () => {
  expect(ticked(1000, 2000, 3000, 4000, 5000)).toEqual(["wait", "wait", "wait", "wait", "follow"]);
});

test("a standby that was held up itself does not count that time as silence of the office", () => {
  expect(ticked(1000, 60_000, 61_000)).toEqual(["wait", "wait", "wait"]);
});

test("a beat ends the silence", () => {
  const [state, then] = nextStandby(
    { silentMs: 4900, tickedMs: 4900 },
    { type: "heard", beat },
    5000,
  );
  expect([state.silentMs, then]).toEqual([0, { do: "wait" }]);
});

test("a standby that is asked follows at once, and one of a stopped team ends", () => {
  expect(nextStandby(start, { type: "asked" }, 5000)[1]).toEqual({
    do: "follow",
    because: "asked",
  });
  const stopped = { type: "heard", beat: { ...beat, stopped: true } } as const;
  expect(nextStandby(start, stopped, 5000)[1]).toEqual({ do: "end" });
});
