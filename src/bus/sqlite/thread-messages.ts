import type { LogSettings } from "../changelog/log-settings.ts";
import type { Operation, Store, StoreOutcome, StoreFailure } from "../store.ts";

/** The messages between the bus and the thread that owns its database. */
export interface WorkerSettings {
  path: string;
  maxAttempts: number;
  /** How long the log may get before it is copied into the database; 8,000 pages by default. */
  checkpointPages?: number | undefined;
  /** The file is a copy for reading: it may be that of a replica. */
  isCopy?: boolean | undefined;
  /** The database is the replica of this log. */
  log?: LogSettings | undefined;
}

export interface ThreadRequest {
  number: number;
  operation: Operation;
}

export type ThreadAnswer =
  | { number: number; outcome: StoreOutcome; failure?: undefined }
  | { number: number; failure: StoreFailure };

export type ToWorker = { kind: "ask"; questions: ThreadRequest[] } | { kind: "close" };

export type FromWorker =
  | {
      kind: "opened";
      promises: ReturnType<Store["capabilities"]>;
      /** The own office entry of the log, with its epoch. */
      office: { seq: number; epoch: number } | undefined;
    }
  /** Another process is the office now: nothing more will be written. */
  | { kind: "deposed"; by: string }
  | { kind: "refused"; failure: StoreFailure }
  | { kind: "answers"; answers: ThreadAnswer[] }
  | { kind: "closed" };
