import { errorOf } from "../wire/errors.ts";
import type { SessionEvent, SessionEventOf } from "../wire/session/events.ts";

export interface UntilOptions<Type extends SessionEvent["type"]> {
  /** Only events from this index in `events` on count. */
  since?: number;
  fits?: (event: SessionEventOf<Type>) => boolean;
}

/** How long any action of a CLI may take, also on a busy machine. */
const WAIT_MS = 45_000;

/** The events of a session, over all starts of its host, and a way to wait for more. */
export class SessionEvents {
  readonly events: SessionEvent[] = [];
  readonly #waiting = new Set<() => void>();

  add(event: SessionEvent): void {
    this.events.push(event);
    for (const wake of this.#waiting) wake();
  }

  /**
   * The first matching event, past or future.
   *
   * @throws `timeout`; the signal's reason.
   */
  async until<Type extends SessionEvent["type"]>(
    type: Type,
    { since = 0, fits = () => true }: UntilOptions<Type>,
    signal: AbortSignal,
  ): Promise<SessionEventOf<Type>> {
    const deadline = performance.now() + WAIT_MS;
    const isIt = (event: SessionEvent): event is SessionEventOf<Type> =>
      event.type === type && fits(event as SessionEventOf<Type>);
    for (;;) {
      signal.throwIfAborted();
      const found = this.events.slice(since).find(isIt);
      if (found) return found;
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) throw this.#nothingCame(type, since);
      await this.#next(leftMs, signal);
    }
  }

  #nothingCame(type: string, since: number): Error {
    const heard = this.events.slice(since).map((event) => event.type);
    const last = heard.filter((each, index) => each !== heard[index - 1]).slice(-12);
    return errorOf(
      "timeout",
      `The session sent no ${type} that fits within ${WAIT_MS / 1000} s. It sent: ${last.join(" ") || "nothing"}.`,
    );
  }

  #next(withinMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", wake);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, withinMs);
      signal.addEventListener("abort", wake);
      this.#waiting.add(wake);
    });
  }
}
