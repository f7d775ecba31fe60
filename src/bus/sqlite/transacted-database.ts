import type { StoreFailure } from "../store.ts";
import type { OpenDatabase } from "./database-in-use.ts";

/** A database as the thread that owns it sees it: alone, or as the replica of a log. */
export interface TransactedDatabase {
  /** About so much text one transaction should write, if it has more than one operation. */
  readonly maxBatchBytes: number;
  /** All of `work` or nothing, durably. It may be done more than once, and counts once. */
  transact<Result>(work: (tables: OpenDatabase) => Result): Result | Promise<Result>;
  close(): void | Promise<void>;
}

/** A whole transaction failed for a reason that has nothing to do with its operations: to try each alone would not help. */
export class NotWritten extends Error {
  readonly failure: StoreFailure;

  constructor(failure: StoreFailure) {
    super(failure.message);
    this.name = "NotWritten";
    this.failure = failure;
  }
}

/** A database that stands for itself. */
export class LoneDatabase implements TransactedDatabase {
  readonly maxBatchBytes = Infinity;
  readonly #tables: OpenDatabase;

  constructor(tables: OpenDatabase) {
    this.#tables = tables;
  }

  transact<Result>(work: (tables: OpenDatabase) => Result): Result {
    return this.#tables.transact(() => work(this.#tables));
  }

  close(): void {
    this.#tables.close();
  }
}
