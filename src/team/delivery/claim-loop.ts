import type { Delivery } from "../../bus/bus.ts";
import { pause } from "../../time/abortable-waits.ts";

export interface ClaimLoopOptions {
  /** Leases one message, or returns nothing once the signal has ended its wait. */
  readonly claim: (signal: AbortSignal) => Promise<Delivery | undefined>;
  readonly onClaimed: (delivery: Delivery) => Promise<void>;
  readonly onTrouble: (error: unknown) => void;
}

/** After this time an inbox that could not be read is read again. */
const READ_AGAIN_MS = 1000;

/** Claims one message after the other, until it is stopped. */
export class ClaimLoop {
  readonly #options: ClaimLoopOptions;
  #wait: AbortController | undefined;
  #stopped = false;
  #loop: Promise<void> | undefined;

  constructor(options: ClaimLoopOptions) {
    this.#options = options;
  }

  get isStopped(): boolean {
    return this.#stopped;
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  /** What may be claimed has changed: a wait for the next message begins anew. */
  lookAgain(): void {
    this.#wait?.abort();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.lookAgain();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { claim, onClaimed, onTrouble } = this.#options;
    while (!this.#stopped) {
      try {
        this.#wait = new AbortController();
        const delivery = await claim(this.#wait.signal);
        if (delivery) await onClaimed(delivery);
      } catch (error) {
        if (this.#stopped) return;
        onTrouble(error);
        await pause(READ_AGAIN_MS);
      }
    }
  }
}
