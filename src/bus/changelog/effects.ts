import type { DatabaseSync, Session } from "node:sqlite";
import { constants as sqlite } from "node:sqlite";
import { constants as zlib, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { errorOf } from "../../wire/errors.ts";

/** The tables that count. All else in the database follows from them. */
const tables = ["messages", "inbox", "done", "dead", "records", "record_fields", "onces"] as const;

/** Smaller effects hardly become smaller. */
const COMPRESS_FROM_BYTES = 512;
const COMPRESSION = { params: { [zlib.ZSTD_c_compressionLevel]: 1 } };
const PLAIN = 0;
const ZSTD = 1;
/** The form, and the last number that a record has had: the changesets do not tell it. */
const HEADER_BYTES = 9;

/** Notes what a transaction changes: not what was asked for, but what came of it, so that a replica need not decide again. */
export class EffectCapture {
  readonly #db: DatabaseSync;
  #sessions: Session[] = [];

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  begin(): void {
    this.#sessions = tables.map((table) => this.#db.createSession({ table }));
  }

  /** Ends the notes. Returns undefined when nothing that counts was changed. */
  end(): Uint8Array | undefined {
    const sessions = this.#sessions;
    this.#sessions = [];
    try {
      // Changesets of different tables one behind the other are a changeset.
      const changes = Buffer.concat(sessions.map((session) => session.changeset()));
      return changes.length === 0 ? undefined : pack(changes, lastRecord(this.#db));
    } finally {
      for (const session of sessions) session.close();
    }
  }

  /** Forgets the notes, when the transaction has failed. */
  forget(): void {
    for (const session of this.#sessions) session.close();
    this.#sessions = [];
  }
}

/** Does to a replica what was captured. Fails with `bus_invalid` when it does not fit exactly. */
export function applyEffects(db: DatabaseSync, packed: Uint8Array): void {
  const { changes, lastRecord: last } = unpack(packed);
  if (!db.applyChangeset(changes, { onConflict: () => sqlite.SQLITE_CHANGESET_ABORT })) {
    throw errorOf("bus_invalid", "An entry of the log does not fit the replica.");
  }
  noteLastRecord(db, last);
}

/** A number that a removed record had is not given to another one. */
function noteLastRecord(db: DatabaseSync, last: number): void {
  if (last === lastRecord(db)) return;
  const { changes } = db
    .prepare("UPDATE sqlite_sequence SET seq = ? WHERE name = 'records'")
    .run(last);
  if (changes === 0) {
    db.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('records', ?)").run(last);
  }
}

function pack(changes: Buffer, last: number): Uint8Array {
  const small =
    changes.length < COMPRESS_FROM_BYTES ? changes : zstdCompressSync(changes, COMPRESSION);
  const isSmaller = small.length < changes.length;
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt8(isSmaller ? ZSTD : PLAIN);
  header.writeDoubleBE(last, 1);
  return Buffer.concat([header, isSmaller ? small : changes]);
}

function unpack(packed: Uint8Array): { changes: Uint8Array; lastRecord: number } {
  const header = Buffer.from(
    packed.buffer,
    packed.byteOffset,
    Math.min(packed.length, HEADER_BYTES),
  );
  const body = packed.subarray(HEADER_BYTES);
  const form = header.length === HEADER_BYTES ? header.readUInt8() : undefined;
  if (form !== PLAIN && form !== ZSTD) {
    throw errorOf("bus_invalid", "An entry of the log has a form that this version does not know.");
  }
  const changes = form === ZSTD ? zstdDecompressSync(body) : body;
  return { changes, lastRecord: header.readDoubleBE(1) };
}

function lastRecord(db: DatabaseSync): number {
  const row = db.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'records'").get();
  return Number(row?.["seq"] ?? 0);
}
