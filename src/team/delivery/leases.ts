import type { Delivery } from "../../bus/bus.ts";

/** Keeps deliveries ours for as long as they are on their way. */
export class Leases {
  readonly #kept = new Set<Delivery>();
  readonly #timer: NodeJS.Timeout;

  constructor(leaseMs: number) {
    this.#timer = setInterval(() => {
      // One that cannot be extended is lost to another claim; whoever settles it will hear of that.
      for (const delivery of this.#kept) delivery.extend(leaseMs).catch(() => {});
    }, leaseMs / 3);
    this.#timer.unref();
  }

  keep(delivery: Delivery): void {
    this.#kept.add(delivery);
  }

  drop(delivery: Delivery): void {
    this.#kept.delete(delivery);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#kept.clear();
  }
}
