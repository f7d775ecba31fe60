import type { DatabaseSync } from "node:sqlite";
import { errorOf } from "../../wire/errors.ts";
import { catalogueAll } from "../sqlite/history-index.ts";
import { failureOf } from "../sqlite/describe-sqlite-error.ts";
import { OpenDatabase } from "../sqlite/database-in-use.ts";
import type { TransactedDatabase } from "../sqlite/transacted-database.ts";
import { NotWritten } from "../sqlite/transacted-database.ts";
import type { BatchOutcome, Changelog } from "./changelog.ts";
import { EffectCapture } from "./effects.ts";
import type { Entry } from "./entry.ts";
import type { Replica } from "./replica.ts";

/** Of the larger effects a batch has at most these. What is more goes into the next one. */
const MAX_BATCH_BYTES = 900_000;
/** So often a batch is done again because earlier ones have turned up: more of them than this are not on their way. */
const MAX_REPEATS = 20;

/** Whether this process may write. */
type Standing =
  | { kind: "office" }
  /** Of an earlier batch it is not known whether it was written: the replica has to look before the next. */
  | { kind: "unsure" }
  | { kind: "deposed"; by: string };

/**
 * The database of an office: a replica whose transactions are first written to the log, and only then committed and
 * answered. What changes nothing that counts, such as a claim, needs no log.
 */
export class LoggedDatabase implements TransactedDatabase {
  readonly maxBatchBytes = MAX_BATCH_BYTES;
  readonly #db: DatabaseSync;
  readonly #log: Changelog;
  readonly #replica: Replica;
  readonly #capture: EffectCapture;
  readonly #maxAttempts: number;
  readonly #onDeposed: (by: string) => void;
  #tables: OpenDatabase;
  #standing: Standing = { kind: "office" };

  /** The replica has to be at the head of the log, and the log's newest office is this process. */
  constructor(
    parts: { db: DatabaseSync; log: Changelog; replica: Replica },
    maxAttempts: number,
    onDeposed: (by: string) => void,
  ) {
    this.#db = parts.db;
    this.#log = parts.log;
    this.#replica = parts.replica;
    this.#capture = new EffectCapture(parts.db);
    this.#maxAttempts = maxAttempts;
    this.#onDeposed = onDeposed;
    this.#tables = new OpenDatabase(this.#db, maxAttempts);
    this.#tables.transact(() => catalogueAll(this.#tables));
  }

  async transact<Result>(work: (tables: OpenDatabase) => Result): Promise<Result> {
    for (let repeats = 0; repeats < MAX_REPEATS; repeats += 1) {
      if (this.#standing.kind === "deposed") throw notWritten(this.#standing.by);
      if (this.#standing.kind === "unsure") await this.#lookForOwnBatches();
      const attempt = await this.#attempt(work);
      if (attempt.kind === "done") return attempt.result;
      // The operations are done again, on what the log has now.
      this.#standing = { kind: "unsure" };
    }
    throw new NotWritten({ code: "bus_unavailable", message: "The log keeps changing." });
  }

  async close(): Promise<void> {
    this.#db.close();
    await this.#log.close();
  }

  async #attempt<Result>(
    work: (tables: OpenDatabase) => Result,
  ): Promise<{ kind: "done"; result: Result } | { kind: "again" }> {
    const tables = this.#tables;
    let isInLog = false;
    tables.begin();
    try {
      this.#capture.begin();
      const result = work(tables);
      const effects = this.#capture.end();
      if (effects) {
        const outcome = await this.#log.append(effects);
        if (outcome.kind === "ghost") {
          tables.rollback();
          return { kind: "again" };
        }
        if (outcome.kind !== "written") throw this.#failed(outcome);
        isInLog = true;
        this.#replica.noteOwn(this.#log.head, outcome.batch);
      }
      tables.commit();
      return { kind: "done", result };
    } catch (error) {
      this.#capture.forget();
      tables.rollback();
      throw isInLog ? this.#behindTheLog(error) : error;
    }
  }

  /** The log has the batch, and the replica could not take it, perhaps because its disk is full. */
  #behindTheLog(cause: unknown): NotWritten {
    this.#standing = { kind: "unsure" };
    const { message } = failureOf(cause);
    return new NotWritten({
      code: "bus_unavailable",
      message: `It is in the log, but: ${message}`,
    });
  }

  /** What the callers of a batch that was not written, or perhaps, are told. */
  #failed(outcome: Exclude<BatchOutcome, { kind: "written" | "ghost" }>): Error {
    if (outcome.kind === "deposed") return this.#depose(outcome.by);
    if (outcome.kind === "refused") {
      return errorOf("disk_full", `The log takes no more: ${outcome.why}.`);
    }
    this.#standing = { kind: "unsure" };
    const message = `The log did not say whether it has written: ${outcome.why}.`;
    return new NotWritten({ code: "bus_unavailable", message });
  }

  #depose(entry: Entry): NotWritten {
    const by = `office ${entry.epoch} of the log, in entry ${entry.seq}`;
    this.#standing = { kind: "deposed", by };
    this.#onDeposed(by);
    return notWritten(by);
  }

  /**
   * Takes into the replica what the log has behind it: batches of this office of which it did not know whether they were
   * written. Reads from the replica's last entry, because a batch that was not complete may have become so. What memory
   * says of the tables begins anew; leases stay.
   */
  async #lookForOwnBatches(): Promise<void> {
    this.#replica.rewind();
    const { head, office } = this.#replica.state;
    this.#log.goTo(head, office);
    for (;;) {
      const looked = await this.#log.look(this.#log.head.seq + 1);
      if (looked.kind === "failed") {
        throw new NotWritten({ code: "bus_unavailable", message: looked.why });
      }
      // That it finds nothing proves nothing: then the next append finds it.
      if (looked.kind === "nothing") break;
      const { entry } = looked;
      if (entry.kind === "office" || entry.epoch !== office.epoch) throw this.#depose(entry);
      this.#tables.begin();
      try {
        this.#replica.take(entry);
        this.#tables.commit();
      } catch (error) {
        this.#tables.rollback();
        throw error;
      }
      this.#log.pass(entry);
    }
    const before = this.#tables;
    this.#tables = new OpenDatabase(this.#db, this.#maxAttempts);
    for (const { seq } of this.#tables.all<{ seq: number }>("SELECT seq FROM inbox")) {
      const hold = before.holds.get(seq);
      if (hold) this.#tables.holds.set(seq, hold);
    }
    this.#standing = { kind: "office" };
  }
}

const notWritten = (by: string): NotWritten =>
  new NotWritten({ code: "bus_unavailable", message: `The team has another office now: ${by}.` });
