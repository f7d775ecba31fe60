/** Runs the work of each key one piece after the other, in the order of the calls. */
export class OneAtATime {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Begins `work` when all earlier work of this key has settled, and settles as `work` does. */
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
