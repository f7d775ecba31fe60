import type { Operation, Outcome, StoreFailure } from "../store.ts";

/** What the bus and the thread that owns its database say to each other. */
export interface WorkerSettings {
  path: string;
  maxAttempts: number;
  /** How long the log may get before it is copied into the database; 8,000 pages unless told. */
  checkpointPages?: number | undefined;
}

export interface Question {
  number: number;
  operation: Operation;
}

export type Answer =
  | { number: number; outcome: Outcome; failure?: undefined }
  | { number: number; failure: StoreFailure };

export type ToWorker = { kind: "ask"; questions: Question[] } | { kind: "close" };

export type FromWorker =
  | { kind: "opened" }
  | { kind: "refused"; failure: StoreFailure }
  | { kind: "answers"; answers: Answer[] }
  | { kind: "closed" };
