/** Why a waiting message is not free: somebody has it, or it was given back with a delay. */
export interface Hold {
  /** Of the lease; absent for a delay. */
  token?: string;
  untilMs: number;
}

/**
 * Leases and delays, by place in the bus. They live as long as one opening of the store: when its
 * owner is killed every message is free at once, and a claim costs no write to the disk.
 */
export class Holds {
  readonly #holds = new Map<number, Hold>();

  get(seq: number): Hold | undefined {
    return this.#holds.get(seq);
  }

  /** Gives back how to undo it. */
  set(seq: number, hold: Hold | undefined): () => void {
    const before = this.#holds.get(seq);
    if (hold) this.#holds.set(seq, hold);
    else this.#holds.delete(seq);
    return () => void (before ? this.#holds.set(seq, before) : this.#holds.delete(seq));
  }

  isLeased(seq: number): boolean {
    return this.#holds.get(seq)?.token !== undefined;
  }

  /** May the holder of this token still settle the message? Late is not too late while it is free. */
  yieldsTo(seq: number, token: string): boolean {
    const holder = this.#holds.get(seq)?.token;
    return holder === undefined || holder === token;
  }
}
