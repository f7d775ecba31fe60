import { unlessAborted } from "../../time/abortable-waits.ts";

/** Lets callers wait for something that may become true with each change. */
export class Changes {
  #next = Promise.withResolvers<void>();

  happened(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }

  /** Resolves with what `find` returns once that is not undefined. @throws the signal's reason. */
  async until<Found>(find: () => Found | undefined, signal: AbortSignal): Promise<Found> {
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      await unlessAborted(this.#next.promise, signal);
    }
  }
}
