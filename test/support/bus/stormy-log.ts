import type { Scheduler } from "fast-check";
import type { Way, WayFault } from "../../../src/bus/memory/memory-entries.ts";
import { MemoryEntries, MemoryLog } from "../../../src/bus/memory/memory-entries.ts";
import type { Clock } from "../../../src/time/clock.ts";

/** A clock whose time passes as soon as somebody waits. */
export function patientClock(): Clock {
  let nowMs = 1_000;
  return {
    wallMs: () => nowMs,
    steadyMs: () => nowMs,
    after(delayMs, call) {
      nowMs += delayMs;
      queueMicrotask(call);
      return () => {};
    },
  };
}

/** Of a hundred calls so many have this fault. */
const shares: readonly (readonly [WayFault, number])[] = [
  ["lost", 8],
  ["unanswered", 8],
  ["late", 12],
  ["refused", 2],
];

/** A log in memory behind ways that lose, delay and refuse: as dice say, or as a test plans. */
export class StormyLog implements Way {
  readonly log = new MemoryLog();
  readonly #scheduler: Scheduler | undefined;
  readonly #dice: Iterator<number> | undefined;
  #planned: (WayFault | undefined)[] = [];

  constructor(scheduler?: Scheduler, dice?: Iterator<number>) {
    this.#scheduler = scheduler;
    this.#dice = dice;
  }

  newStream(maxDataBytes?: number, way: Way = this): MemoryEntries {
    return new MemoryEntries(this.log, way, maxDataBytes);
  }

  next(...faults: (WayFault | undefined)[]): void {
    this.#planned = faults;
  }

  async pass(): Promise<void> {
    await this.#scheduler?.schedule(Promise.resolve());
    if (this.#dice) this.log.arrive(() => this.#roll() < 30);
  }

  fault(): WayFault | undefined {
    if (!this.#dice) return this.#planned.shift();
    let left = this.#roll();
    for (const [fault, share] of shares) {
      if (left < share) return fault;
      left -= share;
    }
    return undefined;
  }

  #roll(): number {
    return (this.#dice?.next().value as number | undefined) ?? 99;
  }
}
