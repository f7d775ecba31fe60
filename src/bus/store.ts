import type { ErrorCode } from "../wire/error-table.ts";
import type { Capabilities, DeadLetter, MessageState } from "./bus.ts";
import type { Line } from "./inbox-order.ts";
import type { Fields, StoredRecord, Write } from "./records.ts";

/**
 * Where a bus stores things. One operation is one all-or-nothing step; operations run in the order of the calls, and
 * each resolves when its effect is durable. A store refuses with a value; it throws when it has failed.
 */
export interface Store {
  run<K extends Kind>(operation: Operation<K>): Promise<StoreOutcome<K>>;
  capabilities(): Omit<Capabilities, "maxMessageBytes">;
  /** Calls back when leases were lost because the store restarted. */
  onRestart(call: () => void): void;
  /** Calls back when another process has become the office of the team: nothing more will be written. */
  onDeposed(call: (by: string) => void): void;
  close(): Promise<void>;
}

/** What the dead letters and the records of a bus use of it. */
export interface BusCore {
  nowMs(): number;
  run<K extends Kind>(operation: Operation<K>): Promise<StoreOutcome<K>>;
}

export type Kind = keyof Operations;
export type Operation<K extends Kind = Kind> = {
  [Each in K]: { kind: Each } & Operations[Each]["ask"];
}[K];
export type StoreOutcome<K extends Kind = Kind> = Operations[K]["answer"];

/** Plain data only, because it crosses a thread boundary. */
interface Operations {
  send: {
    ask: { letter: StoredMessage; writes: readonly Write[]; nowMs: number; delivered?: boolean };
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
  history: { ask: { filter: HistoryRows; page: PageRequest }; answer: RowPage<StoredRow> };
  counts: { ask: object; answer: Record<string, number> };
  deadList: { ask: { all: boolean; page: PageRequest }; answer: RowPage<DeadRow> };
  deadGet: { ask: { id: string }; answer: DeadRow | undefined };
  /** Sends `letter` and closes the dead letter `id` with it, if that is open. */
  deadResend: {
    ask: { id: string; letter: StoredMessage; writes: readonly Write[]; nowMs: number };
    answer: "sent" | "gone" | "conflict";
  };
  deadDiscard: { ask: { id: string }; answer: boolean };
  write: {
    ask: { writes: readonly Write[]; once: string | undefined; nowMs: number };
    answer: boolean;
  };
  recordGet: { ask: { collection: string; key: string }; answer: RecordRow | undefined };
  recordQuery: { ask: { query: RecordRows; page: PageRequest }; answer: RowPage<RecordRow> };
  /** Restores leases that a store had before it restarted. */
  hold: {
    ask: { leases: readonly { id: string; token: string; untilMs: number }[] };
    answer: true;
  };
}

/** A message on its way in: its indexed fields, and the whole as JSON. */
export interface StoredMessage extends Line {
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

export interface DeadRow extends Omit<DeadLetter, "message"> {
  /** In the order of death, which is not the order of the bus. */
  seq: number;
  body: string;
}

export interface RecordRow extends StoredRecord {
  seq: number;
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
  /** Beyond this place, in the requested order. */
  after: number | undefined;
}

export interface RowPage<Row> {
  rows: Row[];
  more: boolean;
}

/** A store's failure as plain data. */
export interface StoreFailure {
  code: ErrorCode;
  message: string;
  /** Where more is known than the table says. */
  hint?: string;
}
