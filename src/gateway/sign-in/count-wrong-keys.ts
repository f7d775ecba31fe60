const WINDOW_MS = 60_000;
const MAX_WRONG_KEYS = 10;
/** Addresses that are remembered; the one that failed longest ago is forgotten first. */
const MAX_ADDRESSES = 1_000;

interface Failures {
  readonly sinceMs: number;
  count: number;
}

/**
 * Counts wrong keys by address. It slows nobody down who has the right ones: on one machine all share an address, so that
 * a hostile page could otherwise lock its user out.
 */
export class WrongKeys {
  readonly #steadyMs: () => number;
  readonly #failures = new Map<string, Failures>();

  constructor(steadyMs: () => number) {
    this.#steadyMs = steadyMs;
  }

  /** Counts one, and returns whether there were too many from this address. */
  add(address: string): boolean {
    const now = this.#steadyMs();
    const before = this.#failures.get(address);
    const failures =
      before && now - before.sinceMs < WINDOW_MS ? before : { sinceMs: now, count: 0 };
    failures.count += 1;
    this.#failures.delete(address);
    this.#failures.set(address, failures);
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > MAX_ADDRESSES && oldest !== undefined) this.#failures.delete(oldest);
    return failures.count > MAX_WRONG_KEYS;
  }
}
