import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { messageOf } from "../../../test/support/team-messages.ts";
import { Waits } from "../delivery/open-waits.ts";
import { openWait } from "./wait-for-answer.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A wait of ten seconds, and what its caller hears of it. */
function openOne() {
  const heard: string[] = [];
  const person = { decides: false };
  const { ended } = openWait(new Waits(), {
    message: messageOf(),
    alsoFor: [],
    toolUseId: undefined,
    timeoutMs: 10_000,
    isPaused: () => person.decides,
    signal: new AbortController().signal,
    progress: (waitedMs, paused) => heard.push(`${waitedMs} ${paused ? "stands still" : "runs"}`),
  });
  const outcome = { told: "waits" };
  ended.catch((error: { code: string }) => (outcome.told = error.code));
  return { heard, person, outcome };
}

test("openWait ends when its time is over, and reports progress meanwhile", async () => {
  const { heard, outcome } = openOne();
  await vi.advanceTimersByTimeAsync(9_900);
  expect(outcome.told).toBe("waits");
  expect(heard).toEqual(["5000 runs"]);
  await vi.advanceTimersByTimeAsync(100);
  expect(outcome.told).toBe("timeout");
});

test("openWait stops its clock while a person decides, and reports that", async () => {
  const { heard, person, outcome } = openOne();
  await vi.advanceTimersByTimeAsync(6_000);
  person.decides = true;
  await vi.advanceTimersByTimeAsync(600_000);
  expect(outcome.told).toBe("waits");
  expect(heard).toHaveLength(1 + 120);
  expect(heard.at(-1)).toBe("6000 stands still");
  person.decides = false;
  await vi.advanceTimersByTimeAsync(3_900);
  expect(outcome.told).toBe("waits");
  await vi.advanceTimersByTimeAsync(100);
  expect(outcome.told).toBe("timeout");
});
