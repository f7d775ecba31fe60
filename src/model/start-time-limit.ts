import { backgroundClock } from "../time/clock.ts";

/** Calls back when the time is over, without keeping the program alive; never when it is 0. Returns a function that cancels. */
export const startDeadline = (ms: number, onOver: () => void): (() => void) =>
  ms <= 0 ? () => {} : backgroundClock.after(ms, onOver);
