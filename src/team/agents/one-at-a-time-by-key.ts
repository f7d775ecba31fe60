/** Runs what is asked under one key one after the other, in the order of the calls. */
export class OneAtATime {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Settles as `work` does, which begins when all that was asked before under this key has settled. */
  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }
}
