import type { DatabaseSync } from "node:sqlite";
import { errorOf } from "../../wire/errors.ts";

/**
 * One entry per version, never changed once released. Messages stay for ever, so an id counts once for ever; waiting
 * messages have a table of their own, so that a claim is as quick in an old bus as in a new one.
 */
const migrations: readonly string[] = [
  `
  CREATE TABLE messages (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    sender TEXT NOT NULL,
    recipient TEXT NOT NULL,
    type TEXT NOT NULL,
    root_id TEXT NOT NULL,
    correlation_id TEXT,
    reply_to TEXT,
    sent_at INTEGER NOT NULL,
    expires_at INTEGER,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX messages_by_sender ON messages (sender, seq);
  CREATE INDEX messages_by_recipient ON messages (recipient, seq);
  CREATE INDEX messages_by_root ON messages (root_id, seq);
  CREATE INDEX messages_by_correlation ON messages (correlation_id, seq) WHERE correlation_id IS NOT NULL;
  CREATE INDEX messages_by_reply ON messages (reply_to, seq) WHERE reply_to IS NOT NULL;

  CREATE TABLE inbox (
    recipient TEXT NOT NULL,
    line INTEGER NOT NULL,
    place INTEGER NOT NULL,
    seq INTEGER NOT NULL UNIQUE,
    sender TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    expires_at INTEGER,
    PRIMARY KEY (recipient, line, place)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE done (
    seq INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    attempts INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE dead (
    seq INTEGER PRIMARY KEY,
    cause TEXT NOT NULL,
    why TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    at INTEGER NOT NULL,
    fate TEXT NOT NULL,
    resent_as TEXT
  ) STRICT;
  CREATE INDEX dead_open ON dead (seq) WHERE fate = 'open';

  CREATE TABLE records (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    collection TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    fields TEXT NOT NULL,
    at INTEGER NOT NULL,
    UNIQUE (collection, key)
  ) STRICT;
  CREATE INDEX records_in_order ON records (collection, seq);

  CREATE TABLE record_fields (
    collection TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (collection, name, value, seq)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE onces (
    name TEXT PRIMARY KEY,
    at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  DROP INDEX messages_by_sender;
  DROP INDEX messages_by_recipient;
  DROP INDEX messages_by_root;
  CREATE TABLE catalogue (
    field INTEGER NOT NULL,
    value TEXT NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (field, value, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE catalogued (up_to INTEGER NOT NULL) STRICT;
  INSERT INTO catalogued (up_to) VALUES (0);
  `,
  // A message stores its place in the inbox, so that no index is needed: one page less for every send.
  `
  ALTER TABLE messages ADD COLUMN line INTEGER;
  ALTER TABLE messages ADD COLUMN place INTEGER;
  UPDATE messages SET line = inbox.line, place = inbox.place FROM inbox WHERE inbox.seq = messages.seq;
  ALTER TABLE inbox RENAME TO indexed_inbox;
  CREATE TABLE inbox (
    recipient TEXT NOT NULL,
    line INTEGER NOT NULL,
    place INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    sender TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    expires_at INTEGER,
    PRIMARY KEY (recipient, line, place)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO inbox SELECT * FROM indexed_inbox;
  DROP TABLE indexed_inbox;
  `,
  // Dead letters are numbered as they die: a reader that has read them all finds later ones behind those, whenever
  // they were sent.
  `
  ALTER TABLE dead RENAME TO unnumbered_dead;
  DROP INDEX dead_open;
  CREATE TABLE dead (
    number INTEGER PRIMARY KEY,
    seq INTEGER NOT NULL UNIQUE,
    cause TEXT NOT NULL,
    why TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    at INTEGER NOT NULL,
    fate TEXT NOT NULL,
    resent_as TEXT
  ) STRICT;
  CREATE INDEX dead_open ON dead (number) WHERE fate = 'open';
  INSERT INTO dead (seq, cause, why, attempts, at, fate, resent_as)
    SELECT seq, cause, why, attempts, at, fate, resent_as FROM unnumbered_dead ORDER BY at, seq;
  DROP TABLE unnumbered_dead;
  `,
];

export const newestSchema = migrations.length;

/** The version of the database's tables; 0 when it has none. */
export const schemaOf = (db: DatabaseSync): number =>
  Number(db.prepare("PRAGMA user_version").get()?.["user_version"]);

/** Migrates the database to a version, by default the newest. Fails with `bus_invalid` when a newer one wrote it. */
export function migrate(db: DatabaseSync, to = newestSchema): void {
  const version = schemaOf(db);
  if (version > newestSchema) {
    throw errorOf(
      "bus_invalid",
      `The database has version ${version}; this program knows versions up to ${newestSchema}.`,
    );
  }
  for (const [index, migration] of migrations.slice(0, to).entries()) {
    if (index < version) continue;
    db.exec(`BEGIN; ${migration} PRAGMA user_version = ${index + 1}; COMMIT;`);
  }
}
