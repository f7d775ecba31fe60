import type { Call } from "./call.ts";

interface Deadline {
  /** As the host told it: another one means that somebody moved it. */
  readonly told: string;
  /** On the page's own clock; undefined until the host has said how much time is left now. */
  readonly endsAt: number | undefined;
}

const MAX_EARLY = 200;

/**
 * When calls deny themselves, on the page's own clock. The clocks of host and page are never compared: the host tells the
 * time that is left. What it told in an event is right only when the event has just come.
 */
export class Deadlines {
  readonly #known = new Map<string, Deadline>();

  /**
   * Takes up the calls that wait. Returns true when the host has to be asked how much time is left.
   *
   * @param areNew their events have just come; else they may be old.
   */
  look(calls: readonly Call[], now: number, areNew: boolean): boolean {
    this.#forget(calls);
    for (const { id, request } of calls) {
      if (request.type === "notice" || request.deadline === undefined) continue;
      if (this.#known.get(id)?.told === request.deadline) continue;
      const { deadline: told, remaining_ms: left } = request;
      const endsAt = areNew && left !== undefined ? now + left : undefined;
      this.#known.set(id, { told, endsAt });
    }
    return calls.some(({ id }) => this.#known.has(id) && this.endsAt(id) === undefined);
  }

  /** Takes up what the host has just answered. */
  learn(calls: readonly Call[], now: number): void {
    for (const { id, request } of calls) {
      if (request.type === "notice" || request.deadline === undefined) continue;
      const { deadline: told, remaining_ms: left } = request;
      if (left !== undefined) this.#known.set(id, { told, endsAt: now + left });
    }
  }

  /** Those that are over; not at once, for the host may tell of a call before its event comes. */
  #forget(calls: readonly Call[]): void {
    if (this.#known.size <= calls.length + MAX_EARLY) return;
    const ids = new Set(calls.map(({ id }) => id));
    for (const id of this.#known.keys()) if (!ids.has(id)) this.#known.delete(id);
  }

  /** Undefined for a call without a deadline, and while the time that is left is not known. */
  endsAt(id: string): number | undefined {
    return this.#known.get(id)?.endsAt;
  }
}
