import type {
  DatabaseSync,
  SQLInputValue,
  StatementResultingChanges,
  StatementSync,
} from "node:sqlite";
import { LeasesAndDelays } from "../leases-and-delays.ts";

/** The database, and what memory holds while it is open. */
export class OpenDatabase {
  readonly holds = new LeasesAndDelays();
  readonly maxAttempts: number;
  /** The last place in each inbox that was read. */
  readonly places = new Map<string, number>();
  /** See `history-index.ts`; undefined until it was read. */
  cataloguedUpTo: number | undefined;
  /** About so much text the open transaction has written. */
  writtenBytes = 0;
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #undo: (() => void)[] = [];

  constructor(db: DatabaseSync, maxAttempts: number) {
    this.#db = db;
    this.maxAttempts = maxAttempts;
  }

  all<R>(sql: string, ...values: SQLInputValue[]): R[] {
    return this.#prepare(sql).all(...values) as R[];
  }

  /** Returns the number of changed rows. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#write(sql, values).changes);
  }

  /** Returns the number of the new row. */
  insert(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#write(sql, values).lastInsertRowid);
  }

  /** The same with a statement that does nothing when the row exists. */
  insertNew(sql: string, ...values: SQLInputValue[]): number | undefined {
    const { changes, lastInsertRowid } = this.#write(sql, values);
    return changes === 0 ? undefined : Number(lastInsertRowid);
  }

  /** Undoes a change in memory when the transaction fails. */
  undoWith(undo: () => void): void {
    this.#undo.push(undo);
  }

  /** All of `work` or nothing, on disk and in memory. */
  transact<Result>(work: () => Result): Result {
    this.begin();
    try {
      const result = work();
      this.commit();
      return result;
    } catch (error) {
      this.rollback();
      throw error;
    }
  }

  begin(): void {
    this.#undo = [];
    this.writtenBytes = 0;
    this.run("BEGIN");
  }

  commit(): void {
    this.run("COMMIT");
  }

  /** On disk and in memory. */
  rollback(): void {
    for (const undo of this.#undo.toReversed()) undo();
    this.#undo = [];
    // On a full disk SQLite has rolled back by itself.
    if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
  }

  close(): void {
    this.#db.close();
  }

  #write(sql: string, values: readonly SQLInputValue[]): StatementResultingChanges {
    for (const value of values) if (typeof value === "string") this.writtenBytes += value.length;
    return this.#prepare(sql).run(...values);
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}
