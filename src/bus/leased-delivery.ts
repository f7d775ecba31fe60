import type { CCMessage } from "../wire/team/messages.ts";
import type { Delivery, NakOptions, SettleOptions } from "./bus.ts";
import { readMessage } from "./stored-message.ts";
import type { Write } from "./records.ts";
import type { Leased, Settlement } from "./store.ts";

export interface Settle {
  nowMs(): number;
  settle(lease: Lease, how: Settlement, writes: readonly Write[]): Promise<boolean>;
}

export interface Lease {
  id: string;
  token: string;
  recipient: string;
  untilMs: number;
}

export class LeasedDelivery implements Delivery {
  readonly message: CCMessage;
  readonly attempt: number;
  readonly #bus: Settle;
  readonly #lease: Lease;
  readonly #leaseMs: number;
  readonly #expiresAt: number | null;

  constructor(bus: Settle, leased: Leased, leaseMs: number) {
    this.message = readMessage(leased.body);
    this.attempt = leased.attempts + 1;
    this.#bus = bus;
    const { id, token, untilMs } = leased;
    this.#lease = { id, token, untilMs, recipient: this.message.to_agent };
    this.#leaseMs = leaseMs;
    this.#expiresAt = leased.expiresAt;
  }

  get lease(): Lease {
    return this.#lease;
  }

  isExpired(): boolean {
    return this.#expiresAt !== null && this.#expiresAt <= this.#bus.nowMs();
  }

  ack({ writes = [] }: SettleOptions = {}): Promise<boolean> {
    return this.#bus.settle(this.#lease, { kind: "ack" }, writes);
  }

  nak({ delayMs = 0, counted = true, why = "", writes = [] }: NakOptions = {}): Promise<boolean> {
    return this.#bus.settle(this.#lease, { kind: "nak", delayMs, counted, why }, writes);
  }

  term(why: string, { writes = [] }: SettleOptions = {}): Promise<boolean> {
    return this.#bus.settle(this.#lease, { kind: "term", why }, writes);
  }

  extend(leaseMs = this.#leaseMs): Promise<boolean> {
    return this.#bus.settle(this.#lease, { kind: "extend", leaseMs }, []);
  }
}
