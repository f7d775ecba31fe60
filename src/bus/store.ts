import type { ErrorCode } from "../wire/error-table.ts";
import type { JsonObject } from "../wire/json.ts";
import type { Capabilities, DeathCause, MessageState } from "./bus.ts";
import type { Line } from "./lanes.ts";
import type { Fields, Write } from "./records.ts";

/**
 * Where a bus keeps things. One operation is one all-or-nothing step; operations happen in the order
 * in which they were asked for, and each resolves when its effect is durable. What a store refuses, it
 * refuses as a value; it throws when it has failed.
 */
export interface Store {
  run<K extends Kind>(operation: Operation<K>): Promise<Outcome<K>>;
  capabilities(): Omit<Capabilities, "maxMessageBytes">;
  /** Calls back when leases were lost because the store had to begin anew. */
  onRestart(call: () => void): void;
  close(): Promise<void>;
}

export type Kind = keyof Operations;
export type Operation<K extends Kind = Kind> = {
  [Each in K]: { kind: Each } & Operations[Each]["ask"];
}[K];
export type Outcome<K extends Kind = Kind> = Operations[K]["answer"];

/** What both sides of a thread's border can say: only plain data. */
interface Operations {
  send: {
    ask: { letter: Letter; writes: readonly Write[]; nowMs: number };
    answer: "new" | "duplicate" | "conflict";
  };
  claim: {
    ask: {
      recipient: string;
      lines: readonly Line[];
      max: number;
      maxBytes: number;
      leaseMs: number;
      nowMs: number;
    };
    answer: { leased: Leased[]; nextMs: number | undefined };
  };
  settle: {
    ask: { id: string; token: string; how: Settlement; writes: readonly Write[]; nowMs: number };
    answer: boolean;
  };
  get: { ask: { id: string }; answer: StoredRow | undefined };
  history: { ask: { filter: HistoryRows; page: PageRequest }; answer: Rows<StoredRow> };
  counts: { ask: object; answer: Record<string, number> };
  deadList: { ask: { all: boolean; page: PageRequest }; answer: Rows<DeadRow> };
  deadGet: { ask: { id: string }; answer: DeadRow | undefined };
  /** Sends `letter` and closes the dead letter `id` by it, if that is open. */
  deadResend: {
    ask: { id: string; letter: Letter; writes: readonly Write[]; nowMs: number };
    answer: "sent" | "gone" | "conflict";
  };
  deadDiscard: { ask: { id: string }; answer: boolean };
  write: {
    ask: { writes: readonly Write[]; once: string | undefined; nowMs: number };
    answer: boolean;
  };
  recordGet: { ask: { collection: string; key: string }; answer: RecordRow | undefined };
  recordQuery: { ask: { query: RecordRows; page: PageRequest }; answer: Rows<RecordRow> };
  /** Holds leases again that a store had before it began anew. */
  hold: {
    ask: { leases: readonly { id: string; token: string; untilMs: number }[] };
    answer: true;
  };
}

/** A message on its way in: what it is found by, and the whole as JSON. */
export interface Letter extends Line {
  id: string;
  sender: string;
  recipient: string;
  type: string;
  rootId: string;
  correlationId: string | null;
  replyTo: string | null;
  expiresAt: number | null;
  body: string;
  /** Of the body. */
  bytes: number;
}

export interface Leased {
  id: string;
  token: string;
  body: string;
  attempts: number;
  expiresAt: number | null;
  untilMs: number;
}

export type Settlement =
  | { kind: "ack" }
  | { kind: "nak"; delayMs: number; counted: boolean; why: string }
  | { kind: "term"; why: string }
  | { kind: "extend"; leaseMs: number };

export interface StoredRow {
  seq: number;
  body: string;
  state: MessageState;
  attempts: number;
  sentAt: number;
  settledAt: number | null;
}

export interface DeadRow {
  /** In the order in which they died, which is not the order of the bus. */
  seq: number;
  body: string;
  cause: DeathCause;
  why: string;
  attempts: number;
  diedAt: number;
  fate: "open" | "resent" | "discarded";
  resentAs: string | null;
}

export interface RecordRow {
  seq: number;
  collection: string;
  key: string;
  value: JsonObject;
  fields: Fields;
  at: number;
}

export interface HistoryRows {
  sender?: string;
  recipient?: string;
  type?: string;
  rootId?: string;
  correlationId?: string;
  replyTo?: string;
}

export interface RecordRows {
  collection: string;
  where: Fields;
  sinceMs: number | undefined;
  untilMs: number | undefined;
}

export interface PageRequest {
  newestFirst: boolean;
  limit: number;
  /** Beyond this place, in the order that is asked for. */
  after: number | undefined;
}

export interface Rows<Row> {
  rows: Row[];
  more: boolean;
}

/** How a store's failure crosses a thread's border. */
export interface StoreFailure {
  code: ErrorCode;
  message: string;
}
