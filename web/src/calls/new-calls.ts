import type { Call } from "./call.ts";

/** A call that is asked again, after a restart or a lost connection, is none that a person has not been told of. */
const MAX_KNOWN = 1000;

/** Finds the calls that a person has not been told of. What waited when the page was opened is in its list already. */
export class NewCalls {
  #known = new Set<string>();
  #hasBegun = false;

  /** @param isLive whether everything has come that was there when the page was opened. */
  look(waiting: readonly Call[], isLive: boolean): readonly Call[] {
    const news = waiting.filter(({ id }) => !this.#known.has(id));
    for (const { id } of news) this.#known.add(id);
    const extra = this.#known.size - MAX_KNOWN;
    if (extra > 0) this.#known = new Set([...this.#known].slice(extra));
    const isNews = this.#hasBegun;
    this.#hasBegun ||= isLive;
    return isNews ? news : [];
  }
}
