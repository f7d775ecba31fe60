/** The names under which clients see each other. No two who are connected at once share one. */
export class ClientNames {
  readonly #taken = new Set<string>();
  #unnamed = 0;

  /** A name for a client that has not said its own. */
  next(): string {
    this.#unnamed += 1;
    return this.take(`client-${this.#unnamed}`);
  }

  /** The name that was asked for, with a number behind it when somebody has it. */
  take(wanted: string): string {
    let name = wanted;
    for (let n = 2; this.#taken.has(name); n += 1) name = `${wanted}-${n}`;
    this.#taken.add(name);
    return name;
  }

  release(name: string): void {
    this.#taken.delete(name);
  }
}
