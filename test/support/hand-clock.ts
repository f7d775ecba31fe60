import type { Clock } from "../../src/time/clock.ts";
import { HandTimers } from "./hand-timers.ts";

const START_MS = Date.UTC(2026, 10, 18, 12);

/** A clock that goes only when the test says so. */
export class HandClock extends HandTimers implements Clock {
  wallMs(): number {
    return START_MS + this.passedMs;
  }

  steadyMs(): number {
    return this.passedMs;
  }
}
