import { readFileSync } from "node:fs";
import type { Clock } from "../time/clock.ts";
import { systemClock } from "../time/clock.ts";

/**
 * Milliseconds since this machine was started. All of its processes share this clock; nobody can set it, and it goes on while the
 * machine sleeps, which the steady clock of a process does not.
 */
export const sinceBootMs = (): number =>
  Math.round(Number.parseFloat(readFileSync("/proc/uptime", "utf8")) * 1000);

/** For a process that must notice that its machine has slept. */
export const bootClock: Clock = { ...systemClock, steadyMs: sinceBootMs };
