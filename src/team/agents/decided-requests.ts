/** What became of a request, and who decided it. */
export interface Decided {
  readonly outcome: string;
  readonly by?: string;
}

/** How many decided requests are remembered, so that a late decision gets the right answer. */
const MAX_NEWEST = 500;

/** The requests of an agent that have their outcome. */
export class DecidedRequests {
  /** The session has accepted the decision; its event has not been read yet. */
  readonly #accepted = new Map<string, Decided>();
  /** The newest ones whose event has been read, oldest first. */
  readonly #newest = new Map<string, Decided>();

  /** @param isPending whether the event that ends the request is still to come. After a crash an id may be asked again. */
  of(requestId: string, isPending: boolean): Decided | undefined {
    return this.#accepted.get(requestId) ?? (isPending ? undefined : this.#newest.get(requestId));
  }

  /** @param isPending as for `of`. */
  accept(requestId: string, decided: Decided, isPending: boolean): void {
    if (isPending || !this.#newest.has(requestId)) this.#accepted.set(requestId, decided);
  }

  tell(requestId: string, decided: Decided): void {
    this.#accepted.delete(requestId);
    this.#newest.set(requestId, decided);
    const [oldest] = this.#newest.keys();
    if (this.#newest.size > MAX_NEWEST && oldest !== undefined) this.#newest.delete(oldest);
  }
}
