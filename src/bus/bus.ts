import type { AgentId, CCMessage, MessageType } from "../wire/team.ts";
import type { Accept } from "./lanes.ts";
import type { Page, Records, Write } from "./records.ts";

/**
 * Takes messages so that they are not lost, and hands each to its recipient until that says that it is
 * done. The rules, numbered, are in docs/bus.md; every adapter passes the same suite.
 *
 * Every method may fail with `bus_unavailable` (nothing is known of the outcome: repeat it, ids make
 * that safe), `disk_full` (nothing was changed), `queue_full` or `bus_closed`.
 */
export interface Bus {
  /**
   * Resolves when the message is durable. An id counts once, for ever: the same message again is a
   * duplicate, another one under its id is `message_conflict`. Fails with `invalid_params` or
   * `message_too_large` on a message that is none.
   */
  send(message: CCMessage, options?: SendOptions): Promise<Receipt>;
  /**
   * Leases what is there for the recipient, the most pressing first, or waits until something is.
   * Gives an empty list when `signal` or `waitMs` ended the wait.
   */
  claim(recipient: AgentId, options?: ClaimOptions): Promise<Delivery[]>;
  /** `claim` for ever, one delivery at a time, until the signal or the end of the bus. */
  inbox(recipient: AgentId, options?: InboxOptions): AsyncIterable<Delivery>;
  get(id: string): Promise<Stored | undefined>;
  /** The first message, already there or still to come, that answers; undefined when the wait ended. */
  reply(to: Awaited, options?: WaitOptions): Promise<CCMessage | undefined>;
  history(filter?: HistoryFilter): Promise<Page<Stored>>;
  /** Hears of each new message once it is durable, in the order of the bus. Gives back how to stop. */
  watch(listener: (message: CCMessage) => void): () => void;
  /** What waits or is leased, by recipient. */
  counts(): Promise<Record<AgentId, number>>;
  readonly deadLetters: DeadLetters;
  readonly records: Records;
  capabilities(): Capabilities;
  /** What was asked for before is done first. Leases end without counting as attempts. */
  close(): Promise<void>;
}

export interface Receipt {
  id: string;
  duplicate: boolean;
}

export interface SendOptions {
  /** Written together with the message, and not at all when it is a duplicate. */
  writes?: readonly Write[];
}

export interface WaitOptions {
  signal?: AbortSignal | undefined;
  /** For ever by default; 0 only looks. */
  waitMs?: number;
}

export interface ClaimOptions extends WaitOptions {
  /** At most so many; 1 by default. */
  max?: number;
  /** Stops before the delivery that would exceed it; the first is always given. */
  maxBytes?: number;
  /** Until the delivery is given to the next claim, unless it is extended; 60,000 by default. */
  leaseMs?: number;
  accept?: readonly Accept[];
}

export interface InboxOptions {
  signal?: AbortSignal;
  leaseMs?: number;
  accept?: readonly Accept[];
}

export interface SettleOptions {
  /** Written together with it, and not at all when it came too late. */
  writes?: readonly Write[];
}

/**
 * A leased message. What settles it gives false when it came too late: another claim has it now, or
 * it is no longer in the inbox. Then nothing was changed.
 */
export interface Delivery {
  readonly message: CCMessage;
  /** 1 for the first. */
  readonly attempt: number;
  /** Is its time to live over? Checked at the claim; to be asked again before it is handed on. */
  isExpired(): boolean;
  /** Done: never delivered again. Also after the lease has run out, while no other claim has it. */
  ack(options?: SettleOptions): Promise<boolean>;
  /** Back to its place in the inbox. */
  nak(options?: NakOptions): Promise<boolean>;
  /** It cannot be delivered: a dead letter at once. */
  term(why: string, options?: SettleOptions): Promise<boolean>;
  /** The lease runs from now. */
  extend(leaseMs?: number): Promise<boolean>;
}

export interface NakOptions extends SettleOptions {
  /** Not before so long. What follows from the same sender in its line waits too. */
  delayMs?: number;
  /** False when the message is not to blame: then it is no attempt. True by default. */
  counted?: boolean;
  /** For the dead letter that it may become. */
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

/** By the message that is answered, or by correlation id, in which case the addressee is named too. */
export type Awaited = { replyTo: string } | { correlationId: string; to: AgentId };

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
  /** Those that died last first; those that nobody has dealt with, unless `all`. */
  list(options?: { all?: boolean; limit?: number; cursor?: string }): Promise<Page<DeadLetter>>;
  get(id: string): Promise<DeadLetter | undefined>;
  /**
   * Sends it again as a new message, with its writes; undefined, and nothing is written, when there is no
   * open dead letter of that id.
   */
  resend(id: string, newId?: string, options?: SendOptions): Promise<CCMessage | undefined>;
  /** False when there is no open dead letter of that id. */
  discard(id: string): Promise<boolean>;
}

export interface Capabilities {
  adapter: string;
  /** Does what was acknowledged survive a cut of the power? */
  powerLossSafe: boolean;
  multiHost: boolean;
  /** Are writes beside a message in the same transaction? */
  atomicRecords: boolean;
  maxMessageBytes: number;
}
