/** Why a waiting message is not free: it is leased, or it was returned with a delay. */
export interface LeaseOrDelay {
  /** The lease's token; absent for a delay. */
  token?: string;
  untilMs: number;
}

/**
 * Leases and delays by the message's seq. They last only while the store is open: when its owner is killed, every
 * message is free at once, and a claim costs no write to the disk.
 */
export class LeasesAndDelays {
  readonly #holds = new Map<number, LeaseOrDelay>();

  get(seq: number): LeaseOrDelay | undefined {
    return this.#holds.get(seq);
  }

  /** Returns a function that undoes it. */
  set(seq: number, hold: LeaseOrDelay | undefined): () => void {
    const before = this.#holds.get(seq);
    if (hold) this.#holds.set(seq, hold);
    else this.#holds.delete(seq);
    return () => void (before ? this.#holds.set(seq, before) : this.#holds.delete(seq));
  }

  isLeased(seq: number): boolean {
    return this.#holds.get(seq)?.token !== undefined;
  }

  /**
   * Whether the holder of this token may settle the message. An expired lease still may, while no other claim has the
   * message.
   */
  maySettle(seq: number, token: string): boolean {
    const holder = this.#holds.get(seq)?.token;
    return holder === undefined || holder === token;
  }
}
