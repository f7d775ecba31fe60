import { expect, test, vi } from "vitest";
import { StepWaiters } from "./step-waiters.ts";

test("StepWaiters ends the step when the last waiter gives up, with that waiter's reason", () => {
  const deserted = vi.fn<(reason: unknown) => void>();
  const waiters = new StepWaiters(deserted);
  const [one, two] = [new AbortController(), new AbortController()];
  waiters.add(one.signal);
  waiters.add(two.signal);
  const leave = waiters.add(undefined);
  one.abort("one");
  leave();
  leave();
  expect(deserted).not.toHaveBeenCalled();
  two.abort("two");
  expect(deserted.mock.calls).toEqual([["two"]]);
});

test("StepWaiters ignores a dismissed waiter", () => {
  const deserted = vi.fn<(reason: unknown) => void>();
  const waiters = new StepWaiters(deserted);
  const abort = new AbortController();
  const leave = waiters.add(abort.signal);
  waiters.clear();
  abort.abort();
  leave();
  expect(deserted).not.toHaveBeenCalled();
});

test("StepWaiters does not add a waiter whose signal is already aborted", () => {
  const deserted = vi.fn<(reason: unknown) => void>();
  new StepWaiters(deserted).add(AbortSignal.abort("before"));
  expect(deserted.mock.calls).toEqual([["before"]]);
});
