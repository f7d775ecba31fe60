/** The names under which clients see each other. No two connected clients share one. */
export class ClientNames {
  readonly #taken = new Set<string>();
  #unnamed = 0;

  /** A name for a client that did not choose one. */
  next(): string {
    this.#unnamed += 1;
    return this.take(`client-${this.#unnamed}`);
  }

  /** The requested name, with a number appended when another client has it. */
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
