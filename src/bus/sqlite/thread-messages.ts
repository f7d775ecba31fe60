import type { Operation, StoreOutcome, StoreFailure } from "../store.ts";

/** The messages between the bus and the thread that owns its database. */
export interface WorkerSettings {
  path: string;
  maxAttempts: number;
  /** How long the log may get before it is copied into the database; 8,000 pages by default. */
  checkpointPages?: number | undefined;
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
  | { kind: "opened" }
  | { kind: "refused"; failure: StoreFailure }
  | { kind: "answers"; answers: ThreadAnswer[] }
  | { kind: "closed" };
