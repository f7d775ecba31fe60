import type { AgentId, CCMessage, MessageType } from "../wire/team/messages.ts";
import type { Accept } from "./inbox-order.ts";
import type { Page, Records, Write } from "./records.ts";

/**
 * Takes messages durably, and delivers each to its recipient until the recipient acknowledges it. The numbered rules
 * are in docs/bus.md; every adapter passes the same suite.
 *
 * Every method may fail with `bus_unavailable` (the outcome is unknown: repeat the call, ids make that safe),
 * `disk_full` (nothing was changed), `queue_full` or `bus_closed`.
 */
export interface Bus {
  /**
   * Resolves when the message is durable. An id counts once, for ever: the same message again is a duplicate, a
   * different message under its id fails with `message_conflict`. Fails with `invalid_params` or `message_too_large`
   * on an invalid message.
   */
  send(message: CCMessage, options?: SendOptions): Promise<Receipt>;
  /**
   * Leases waiting messages of the recipient, the most pressing first, or waits for one. Returns an empty list when
   * `signal` or `waitMs` ended the wait.
   */
  claim(recipient: AgentId, options?: ClaimOptions): Promise<Delivery[]>;
  /** Repeats `claim`, one delivery at a time, until the signal aborts or the bus closes. */
  inbox(recipient: AgentId, options?: InboxOptions): AsyncIterable<Delivery>;
  /**
   * Done without a delivery: its recipient has the message already. Returns false when a claim has it, or when it is
   * no longer in the inbox; nothing was changed then.
   */
  finish(message: Pick<CCMessage, "id" | "to_agent">, options?: SettleOptions): Promise<boolean>;
  get(id: string): Promise<Stored | undefined>;
  /** The first reply, already there or still to come; undefined when the wait ended. */
  reply(to: ReplyQuery, options?: WaitOptions): Promise<CCMessage | undefined>;
  history(filter?: HistoryFilter): Promise<Page<Stored>>;
  /**
   * Calls the listener with each new message once it is durable, in the order of the bus. Returns an unsubscribe
   * function.
   */
  watch(listener: (message: CCMessage) => void): () => void;
  /** How many messages wait or are leased, by recipient. */
  counts(): Promise<Record<AgentId, number>>;
  readonly deadLetters: DeadLetters;
  readonly records: Records;
  capabilities(): Capabilities;
  /** Resolves when the bus takes no more calls, and says why. */
  readonly ended: Promise<BusEnd>;
  /** Finishes earlier calls first. Leases end without counting as attempts. */
  close(): Promise<void>;
}

/**
 * `closed`: its owner closed it. `deposed`: another process has become the office of the team. Its owner must then leave the
 * team alone, and close the bus.
 */
export type BusEnd = { because: "closed" } | { because: "deposed"; by: string };

export interface Receipt {
  id: string;
  duplicate: boolean;
}

export interface SendOptions {
  /** Written in the same transaction as the message; not at all when it is a duplicate. */
  writes?: readonly Write[];
  /** The recipient has it already: the message is recorded as done, and never enters an inbox. */
  delivered?: boolean;
}

export interface WaitOptions {
  signal?: AbortSignal | undefined;
  /** For ever by default; 0 only looks. */
  waitMs?: number;
}

export interface ClaimOptions extends WaitOptions {
  /** At most this many; 1 by default. */
  max?: number;
  /** Stops before the delivery that would exceed it; the first is always returned. */
  maxBytes?: number;
  /** How long until another claim may get the delivery, unless it is extended; 60,000 by default. */
  leaseMs?: number;
  accept?: readonly Accept[];
}

export interface InboxOptions {
  signal?: AbortSignal;
  leaseMs?: number;
  accept?: readonly Accept[];
}

export interface SettleOptions {
  /** Written in the same transaction; not at all when the call came too late. */
  writes?: readonly Write[];
}

/**
 * A leased message. The methods that settle it return false when they come too late: another claim has it now, or it
 * is no longer in the inbox. Nothing was changed then.
 */
export interface Delivery {
  readonly message: CCMessage;
  /** 1 for the first. */
  readonly attempt: number;
  /** Whether its time to live is over. Checked at the claim; check again before handing it on. */
  isExpired(): boolean;
  /** Done: never delivered again. Works after the lease has run out, too, while no other claim has it. */
  ack(options?: SettleOptions): Promise<boolean>;
  /** Puts it back into its place in the inbox. */
  nak(options?: NakOptions): Promise<boolean>;
  /** It cannot be delivered: makes it a dead letter at once. */
  term(why: string, options?: SettleOptions): Promise<boolean>;
  /** Renews the lease from now. */
  extend(leaseMs?: number): Promise<boolean>;
}

export interface NakOptions extends SettleOptions {
  /** Not before this time. Later messages from the same sender in its line wait too. */
  delayMs?: number;
  /** False when the message is not to blame: the delivery then does not count as an attempt. True by default. */
  counted?: boolean;
  /** The reason, for the dead letter that it may become. */
  why?: string;
}

export type MessageState = "waiting" | "leased" | "done" | "dead";

export interface Stored {
  message: CCMessage;
  state: MessageState;
  /** Deliveries that failed. */
  attempts: number;
  sentAt: number;
  /** When it was done or died, in milliseconds since 1970. */
  settledAt: number | null;
}

/** By the message that is answered, or by correlation id together with the addressee. */
export type ReplyQuery = { replyTo: string } | { correlationId: string; to: AgentId };

export interface HistoryFilter {
  from?: AgentId;
  to?: AgentId;
  type?: MessageType;
  rootId?: string;
  correlationId?: string;
  replyTo?: string;
  order?: "oldest" | "newest";
  limit?: number;
  cursor?: string;
}

export type DeathCause = "expired" | "attempts" | "refused";

export interface DeadLetter {
  message: CCMessage;
  cause: DeathCause;
  why: string;
  attempts: number;
  diedAt: number;
  /** What a person did with it. */
  fate: "open" | "resent" | "discarded";
  resentAs: string | null;
}

export interface DeadLetters {
  /** Newest deaths first; only the open ones, unless `all`. */
  list(options?: { all?: boolean; limit?: number; cursor?: string }): Promise<Page<DeadLetter>>;
  get(id: string): Promise<DeadLetter | undefined>;
  /**
   * Sends it again as a new message, with its writes; returns undefined and writes nothing when there is no open dead
   * letter with that id.
   */
  resend(id: string, newId?: string, options?: SendOptions): Promise<CCMessage | undefined>;
  /** Returns false when there is no open dead letter with that id. */
  discard(id: string): Promise<boolean>;
}

export interface Capabilities {
  adapter: string;
  /** Whether acknowledged messages survive a power loss. */
  powerLossSafe: boolean;
  multiHost: boolean;
  /** Whether writes beside a message are in the same transaction. */
  atomicRecords: boolean;
  maxMessageBytes: number;
}
