import { randomUUID } from "node:crypto";
import { errorOf } from "../wire/errors.ts";
import type { AgentId, CCMessage } from "../wire/team/messages.ts";
import { parseCCMessage } from "../wire/team/messages.ts";
import { Bell } from "./bell.ts";
import type {
  ReplyQuery,
  Bus,
  BusEnd,
  Capabilities,
  ClaimOptions,
  DeadLetters,
  Delivery,
  HistoryFilter,
  InboxOptions,
  Receipt,
  SendOptions,
  SettleOptions,
  Stored,
  WaitOptions,
} from "./bus.ts";
import type { Clock } from "../time/clock.ts";
import { startTime, systemClock } from "../time/clock.ts";
import { pageOf, pageRequest } from "./page-cursor.ts";
import { StoredDeadLetters } from "./dead-letters.ts";
import type { Lease } from "./leased-delivery.ts";
import { LeasedDelivery } from "./leased-delivery.ts";
import { linesOf } from "./inbox-order.ts";
import { toStoredMessage, readMessage } from "./stored-message.ts";
import type { Page, Records, Write } from "./records.ts";
import type {
  HistoryRows,
  Kind,
  Operation,
  StoreOutcome,
  Settlement,
  Store,
  StoredRow,
} from "./store.ts";
import { StoredRecords } from "./stored-records.ts";
import type { WaitContext } from "./look-until-found.ts";
import { waitFor } from "./look-until-found.ts";

const DEFAULT_LEASE_MS = 60_000;
const DEFAULT_MAX_BYTES = 4_194_304;
/** Content and thinking at their limits, each byte escaped, with room for the rest. */
const MAX_MESSAGE_BYTES = 8_388_608;

export interface BusOptions {
  clock?: Clock;
  /** After this many failed deliveries a message becomes a dead letter; 5 by default. */
  maxAttempts?: number;
}

/** What every adapter has in common: runs operations on a store, and wakes waiting callers. */
export class StoredBus implements Bus {
  readonly deadLetters: DeadLetters;
  readonly records: Records;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #nowMs: () => number;
  readonly #bell = new Bell();
  readonly #watchers = new Set<(message: CCMessage) => void>();
  /** By message: the last lease that was not settled. */
  readonly #leases = new Map<string, Lease>();
  readonly #waits = new Set<() => void>();
  readonly ended: Promise<BusEnd>;
  readonly #end: (end: BusEnd) => void;
  #closing: Promise<void> | undefined;
  #deposedBy: string | undefined;

  constructor(store: Store, { clock = systemClock }: Pick<BusOptions, "clock"> = {}) {
    this.#store = store;
    this.#clock = clock;
    this.#nowMs = startTime(clock);
    this.records = new StoredRecords(this);
    this.deadLetters = new StoredDeadLetters(this, (message) => this.#arrived(message));
    ({ promise: this.ended, resolve: this.#end } = Promise.withResolvers<BusEnd>());
    store.onRestart(() => void this.#takeUpLeases());
    store.onDeposed((by) => this.#depose(by));
  }

  nowMs(): number {
    return this.#nowMs();
  }

  async run<K extends Kind>(operation: Operation<K>): Promise<StoreOutcome<K>> {
    this.#mustBeOpen();
    return this.#store.run(operation);
  }

  async send(message: CCMessage, options: SendOptions = {}): Promise<Receipt> {
    const { writes = [], delivered = false } = options;
    const checked = parseCCMessage(message);
    if (!checked.ok) throw checked.error;
    const { id } = checked.value;
    const nowMs = this.#nowMs();
    const outcome = await this.run({
      kind: "send",
      letter: toStoredMessage(checked.value, nowMs),
      writes,
      nowMs,
      delivered,
    });
    if (outcome === "conflict") {
      throw errorOf("message_conflict", `Another message was already sent under the id ${id}.`, {
        data: { id },
      });
    }
    if (outcome === "new") this.#arrived(checked.value);
    return { id, duplicate: outcome === "duplicate" };
  }

  async claim(recipient: AgentId, options: ClaimOptions = {}): Promise<Delivery[]> {
    const { max = 1, maxBytes = DEFAULT_MAX_BYTES, leaseMs = DEFAULT_LEASE_MS, accept } = options;
    this.#mustBeOpen();
    const lines = linesOf(accept);
    const look = async () => {
      const nowMs = this.#nowMs();
      const ask = { recipient, lines, max, maxBytes, leaseMs, nowMs };
      const { leased, nextMs } = await this.run({ kind: "claim", ...ask });
      if (leased.length === 0) {
        return nextMs === undefined ? {} : { againInMs: () => nextMs - this.#nowMs() };
      }
      const found = leased.map((each) => new LeasedDelivery(this, each, leaseMs));
      for (const { lease } of found) this.#leases.set(lease.id, lease);
      return { found };
    };
    const listen = (ring: () => void) => this.#bell.listen(recipient, ring);
    return (await waitFor(look, listen, this.#around(options))) ?? [];
  }

  async *inbox(recipient: AgentId, options: InboxOptions = {}): AsyncGenerator<Delivery, void> {
    while (!options.signal?.aborted && !this.#closing && this.#deposedBy === undefined) {
      yield* await this.claim(recipient, options);
    }
  }

  async settle(lease: Lease, how: Settlement, writes: readonly Write[]): Promise<boolean> {
    const { id, token, recipient } = lease;
    const nowMs = this.#nowMs();
    const settled = await this.run({ kind: "settle", id, token, how, writes, nowMs });
    if (how.kind === "extend" && settled) lease.untilMs = nowMs + how.leaseMs;
    else if (this.#leases.get(id)?.token === token) this.#leases.delete(id);
    if (how.kind !== "extend") this.#bell.ring(recipient);
    return settled;
  }

  async finish(
    { id, to_agent: recipient }: Pick<CCMessage, "id" | "to_agent">,
    { writes = [] }: SettleOptions = {},
  ): Promise<boolean> {
    // An acknowledgement counts for as long as no claim has the message, and no claim has this token.
    const ask = { id, token: randomUUID(), how: { kind: "ack" }, writes } as const;
    const isFinished = await this.run({ kind: "settle", ...ask, nowMs: this.#nowMs() });
    if (isFinished) this.#bell.ring(recipient);
    return isFinished;
  }

  async get(id: string): Promise<Stored | undefined> {
    const row = await this.run({ kind: "get", id });
    return row && storedOf(row);
  }

  async history(filter: HistoryFilter = {}): Promise<Page<Stored>> {
    const page = pageRequest(filter, "newest");
    const rows = await this.run({ kind: "history", filter: historyRows(filter), page });
    return pageOf(rows, page, storedOf);
  }

  reply(to: ReplyQuery, options: WaitOptions = {}): Promise<CCMessage | undefined> {
    const filter: HistoryRows =
      "replyTo" in to
        ? { replyTo: to.replyTo }
        : { correlationId: to.correlationId, recipient: to.to };
    const page = { newestFirst: false, limit: 1, after: undefined };
    const look = async () => {
      const { rows } = await this.run({ kind: "history", filter, page });
      return rows[0] ? { found: readMessage(rows[0].body) } : {};
    };
    const listen = (ring: () => void) =>
      this.watch((message) => {
        const fits =
          "replyTo" in to
            ? message.reply_to === to.replyTo
            : message.metadata.correlation_id === to.correlationId && message.to_agent === to.to;
        if (fits) ring();
      });
    return waitFor(look, listen, this.#around(options));
  }

  watch(listener: (message: CCMessage) => void): () => void {
    const own = (message: CCMessage): void => listener(message);
    this.#watchers.add(own);
    return () => void this.#watchers.delete(own);
  }

  counts(): Promise<Record<AgentId, number>> {
    return this.run({ kind: "counts" });
  }

  capabilities(): Capabilities {
    return { ...this.#store.capabilities(), maxMessageBytes: MAX_MESSAGE_BYTES };
  }

  close(): Promise<void> {
    this.#closing ??= this.#store.close();
    this.#end({ because: "closed" });
    for (const end of this.#waits) end();
    return this.#closing;
  }

  #depose(by: string): void {
    this.#deposedBy = by;
    this.#end({ because: "deposed", by });
    for (const end of this.#waits) end();
  }

  #mustBeOpen(): void {
    if (this.#closing) throw errorOf("bus_closed", "The bus is closed.");
    if (this.#deposedBy === undefined) return;
    throw errorOf(
      "bus_closed",
      `The bus is closed: the team has another office, ${this.#deposedBy}.`,
      {
        hint: "The team runs in another process now: talk with that one.",
      },
    );
  }

  #arrived(message: CCMessage): void {
    this.#bell.ring(message.to_agent);
    for (const watcher of this.#watchers) {
      try {
        watcher(message);
      } catch (error) {
        // The sender did nothing wrong, and its message is durable.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  #around(options: WaitOptions): WaitOptions & WaitContext {
    const { signal, waitMs = Infinity } = options;
    const onEnd = (end: () => void): (() => void) => {
      this.#waits.add(end);
      return () => void this.#waits.delete(end);
    };
    return { signal, waitMs, clock: this.#clock, onEnd };
  }

  /** First in the new store's queue, so that no claim gets a message that is still being worked on. */
  async #takeUpLeases(): Promise<void> {
    const nowMs = this.#nowMs();
    const leases = [...this.#leases.values()].filter(({ untilMs }) => untilMs > nowMs);
    try {
      await this.#store.run({ kind: "hold", leases });
    } catch {
      // It has failed again; the next caller gets the error.
    }
    this.#bell.ringAll();
  }
}

const storedOf = ({ body, state, attempts, sentAt, settledAt }: StoredRow): Stored => ({
  message: readMessage(body),
  state,
  attempts,
  sentAt,
  settledAt,
});

function historyRows(filter: HistoryFilter): HistoryRows {
  const { from, to, type, rootId, correlationId, replyTo } = filter;
  return {
    ...(from !== undefined && { sender: from }),
    ...(to !== undefined && { recipient: to }),
    ...(type !== undefined && { type }),
    ...(rootId !== undefined && { rootId }),
    ...(correlationId !== undefined && { correlationId }),
    ...(replyTo !== undefined && { replyTo }),
  };
}
