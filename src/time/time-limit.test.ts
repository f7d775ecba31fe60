import { describe, expect, it } from "vitest";
import { HandTimers } from "../../test/support/hand-timers.ts";
import { settlesWithin, withDeadline } from "./time-limit.ts";

const never = new Promise<never>(() => {});
const late = (): Error => new Error("late");

describe("settlesWithin", () => {
  it("says whether the work settled in time, and counts a rejection as settled", async () => {
    const timers = new HandTimers();
    expect(await settlesWithin(Promise.resolve(), 10, timers)).toBe(true);
    expect(await settlesWithin(Promise.reject(new Error("no")), 10, timers)).toBe(true);
    const waiting = settlesWithin(never, 10, timers);
    timers.pass(10);
    expect(await waiting).toBe(false);
    expect(timers.waiting).toBe(0);
  });
});

describe("withDeadline", () => {
  it("settles as the work does when that is in time", async () => {
    const timers = new HandTimers();
    expect(await withDeadline(Promise.resolve(7), 10, late, timers)).toBe(7);
    const failed = withDeadline(Promise.reject(new Error("no")), 10, late, timers);
    await expect(failed).rejects.toThrow("no");
    expect(timers.waiting).toBe(0);
  });

  it("rejects with the error of the deadline when the work takes longer, and not a moment before", async () => {
    const timers = new HandTimers();
    const work = Promise.withResolvers<number>();
    const inTime = withDeadline(work.promise, 10, late, timers);
    timers.pass(9);
    work.resolve(1);
    expect(await inTime).toBe(1);
    const tooLate = withDeadline(never, 10, late, timers);
    timers.pass(10);
    await expect(tooLate).rejects.toThrow("late");
  });

  it("hides a rejection of the work that comes after the deadline", async () => {
    const timers = new HandTimers();
    const work = Promise.withResolvers<never>();
    const tooLate = withDeadline(work.promise, 10, late, timers);
    timers.pass(10);
    await expect(tooLate).rejects.toThrow("late");
    const unhandled: unknown[] = [];
    const hear = (error: unknown): void => void unhandled.push(error);
    process.on("unhandledRejection", hear);
    work.reject(new Error("unheard"));
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", hear);
    expect(unhandled).toEqual([]);
  });
});
