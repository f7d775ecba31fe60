/** Wakes callers that wait for something in an inbox. */
export class Bell {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Calls back at each ring. Returns an unsubscribe function. */
  listen(name: string, call: () => void): () => void {
    const calls = this.#waiting.get(name) ?? new Set();
    this.#waiting.set(name, calls.add(call));
    return () => {
      calls.delete(call);
      if (calls.size === 0 && this.#waiting.get(name) === calls) this.#waiting.delete(name);
    };
  }

  ring(name: string): void {
    for (const call of this.#waiting.get(name) ?? []) call();
  }

  ringAll(): void {
    for (const name of this.#waiting.keys()) this.ring(name);
  }
}
