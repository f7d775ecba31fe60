import type { DatabaseSync } from "node:sqlite";
import { errorOf } from "../../wire/errors.ts";
import { migrate, newestSchema, schemaOf } from "../sqlite/migrations.ts";
import { applyEffects } from "./effects.ts";
import type { Entry, Head } from "./entry.ts";
import { beginningOf, chainAfter } from "./entry.ts";

/** Up to which entry of which log a replica has everything. */
export interface ReplicaState {
  logId: string;
  head: Head;
  /** Of the entry at the head: it is known again by it. Empty at the beginning. */
  batch: string;
  office: { seq: number; epoch: number };
}

interface Row {
  log_id: string;
  applied: number;
  batch: string;
  chain: string;
  office_seq: number;
  office_epoch: number;
}

/**
 * A database that has all effects of a log up to some entry. It is brought forward entry by entry, and each must fit: its
 * log, its number, its chain and the values that it replaces.
 */
export class Replica {
  readonly #db: DatabaseSync;
  #state: ReplicaState;
  /** The parts of a batch that is not complete yet. */
  #parts: Entry[] = [];
  /** The hash of all that was read, those parts included. */
  #chain: string;

  constructor(db: DatabaseSync, logId: string) {
    this.#db = db;
    this.#state = readReplica(db) ?? begin(db, logId);
    if (this.#state.logId !== logId) {
      throw errorOf(
        "bus_invalid",
        `The database belongs to the log ${this.#state.logId}, and this one is ${logId}.`,
      );
    }
    this.#chain = this.#state.head.chain;
  }

  get state(): ReplicaState {
    return this.#state;
  }

  /** Forgets parts that were read, and continues from the last entry whose effects it has. */
  rewind(): void {
    this.#parts = [];
    this.#state = readReplica(this.#db) ?? this.#state;
    this.#chain = this.#state.head.chain;
  }

  /** Takes the next entry. In a transaction; fails with `bus_invalid`, and then must be rolled back and rewound. */
  take(entry: Entry): void {
    this.#mustFit(entry);
    const chain = chainAfter(this.#chain, entry);
    if (entry.chain !== undefined && entry.chain !== chain) {
      throw errorOf("bus_invalid", `Entry ${entry.seq} of the log does not continue the replica.`);
    }
    this.#chain = chain;
    if (entry.kind === "office") {
      this.#parts = [];
      this.#migrateTo(entry.schema);
      this.#note(entry, { seq: entry.seq, epoch: entry.epoch });
      return;
    }
    if (this.#parts[0]?.batch !== entry.batch) this.#parts = [];
    this.#parts.push(entry);
    if (entry.part < entry.parts) return;
    const parts = this.#parts;
    this.#parts = [];
    // Of a batch that its writer gave up, some parts may stand there: they count for nothing.
    if (parts.length === entry.parts) applyEffects(this.#db, joined(parts));
    this.#note(entry, this.#state.office);
  }

  /** The open transaction has the effects of the batch that is now the log's last. */
  noteOwn(head: Head, batch: string): void {
    this.#chain = head.chain;
    this.#write({ ...this.#state, head, batch });
  }

  #mustFit(entry: Entry): void {
    if (entry.logId !== this.#state.logId) {
      throw errorOf("bus_invalid", `Entry ${entry.seq} belongs to another log: ${entry.logId}.`);
    }
    if (entry.schema > newestSchema) {
      throw errorOf(
        "bus_invalid",
        `The log was written by a newer version: its schema is ${entry.schema}, and this program knows ${newestSchema}.`,
      );
    }
    // Only an office entry begins another schema, and never an older one.
    const schema = schemaOf(this.#db);
    if (entry.kind === "office" ? entry.schema < schema : entry.schema !== schema) {
      throw errorOf(
        "bus_invalid",
        `Entry ${entry.seq} of the log has schema ${entry.schema}, and the replica ${schema}.`,
      );
    }
  }

  /** Every replica changes its tables behind the same entry. */
  #migrateTo(schema: number): void {
    if (schema === schemaOf(this.#db)) return;
    this.#db.exec("COMMIT");
    migrate(this.#db, schema);
    this.#db.exec("BEGIN");
  }

  #note(entry: Entry, office: ReplicaState["office"]): void {
    const head = { seq: entry.seq, chain: this.#chain };
    this.#write({ ...this.#state, head, batch: entry.batch, office });
  }

  #write(state: ReplicaState): void {
    this.#state = state;
    const { head, batch, office } = state;
    this.#db
      .prepare(
        "UPDATE replica SET applied = ?, chain = ?, batch = ?, office_seq = ?, office_epoch = ?",
      )
      .run(head.seq, head.chain, batch, office.seq, office.epoch);
  }
}

/** What a database says of the log whose replica it is; undefined when it is none. */
export function readReplica(db: DatabaseSync): ReplicaState | undefined {
  const table = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'replica'").get();
  if (!table) return undefined;
  const row = db.prepare("SELECT * FROM replica").get() as Row | undefined;
  if (!row) throw errorOf("bus_invalid", "The database does not say of which log it is a replica.");
  return {
    logId: row.log_id,
    head: { seq: row.applied, chain: row.chain },
    batch: row.batch,
    office: { seq: row.office_seq, epoch: row.office_epoch },
  };
}

function begin(db: DatabaseSync, logId: string): ReplicaState {
  const head = beginningOf(logId);
  db.exec(`BEGIN;
    CREATE TABLE replica (log_id TEXT NOT NULL, applied INTEGER NOT NULL, batch TEXT NOT NULL, chain TEXT NOT NULL,
      office_seq INTEGER NOT NULL, office_epoch INTEGER NOT NULL) STRICT`);
  db.prepare("INSERT INTO replica VALUES (?, 0, '', ?, 0, 0)").run(logId, head.chain);
  db.exec("COMMIT");
  return { logId, head, batch: "", office: { seq: 0, epoch: 0 } };
}

const joined = (parts: readonly Entry[]): Uint8Array => {
  const [only] = parts;
  return only && parts.length === 1 ? only.data : Buffer.concat(parts.map(({ data }) => data));
};
