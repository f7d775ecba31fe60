import { closeSync, copyFileSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { syncDirectory } from "../../files/replace-file.ts";
import { systemClock } from "../../time/clock.ts";
import { errorOf } from "../../wire/errors.ts";
import { copyTables, hasOnlyRowsOf, mustBeSame } from "../changelog/copy-tables.ts";
import type { LogSettings } from "../changelog/log-settings.ts";
import { openLoggedDatabase, openReplica } from "../changelog/open-logged-database.ts";
import { readReplica } from "../changelog/replica.ts";
import { openDatabase } from "../sqlite/open-database-file.ts";
import { openJetStream } from "./open-jetstream.ts";
import { readLogStatus } from "./read-log-status.ts";

/** What the office of a copy is called in the log, so that an interrupted one can be continued. */
export const COPIER = "copy of a stopped team";
const EPOCHS = "epochs";
const DEFAULT_MAX_ATTEMPTS = 5;

export interface MovedMemory {
  readonly rows: number;
  /** The file as it was before. */
  readonly former: string;
}

const patient = { clock: systemClock, maxAttempts: DEFAULT_MAX_ATTEMPTS, onDeposed: () => {} };

/**
 * Moves the memory of a stopped team, in the database at `path`, into a new log on NATS. The database becomes the log's
 * replica. An interrupted call is continued by the next. Fails with `bus_invalid` when there is another team's log, or the
 * database is a replica already, unless it is to be `rebuilt`.
 */
export async function moveMemoryToNats(
  path: string,
  settings: LogSettings,
  { rebuilt = false } = {},
): Promise<MovedMemory> {
  const target = `${path}.new`;
  removeDatabase(target);
  const source = openDatabase(path);
  try {
    const replica = readReplica(source);
    if (replica && !rebuilt) {
      throw errorOf("bus_invalid", `${path} is the copy of a log on NATS already.`, {
        hint: "Start the team with --bus.",
      });
    }
    const openStream = async (logId?: string) => (await openJetStream(settings, logId)).stream;
    await mustBeNewOrOurs(target, source, settings, openStream);
    const { database } = await openLoggedDatabase({
      ...patient,
      path: target,
      openStream,
      writer: COPIER,
      epochAfter: Math.max(replica?.office.epoch ?? 0, formerEpoch(source)),
    });
    let rows: number;
    try {
      rows = await copyTables(source, database);
    } finally {
      await database.close();
    }
    const copy = openDatabase(target);
    try {
      mustBeSame(source, copy);
    } finally {
      copy.close();
    }
    source.close();
    return { rows, former: replaceDatabase(path, target) };
  } finally {
    if (source.isOpen) source.close();
  }
}

/**
 * Moves the memory of a stopped team from its log on NATS into the database at `path` alone. The log stays as it is, and takes
 * no office any more. An interrupted call is continued by the next.
 */
export async function moveMemoryToSqlite(
  path: string,
  settings: LogSettings,
): Promise<MovedMemory> {
  const openStream = async (logId?: string) => (await openJetStream(settings, logId)).stream;
  const { database, office } = await openLoggedDatabase({
    ...patient,
    path,
    openStream,
    writer: `${hostname()} ${process.pid}`,
    leavesFor: `${hostname()}:${dirname(path)}`,
  });
  await database.close();
  const target = `${path}.new`;
  removeDatabase(target);
  copyFileSync(path, target);
  const db = openDatabase(target);
  let rows = 0;
  try {
    db.exec("BEGIN; DROP TABLE replica;");
    noteEpoch(db, office.epoch);
    db.exec("COMMIT");
    const counted = db.prepare("SELECT count(*) AS n FROM messages").get();
    rows = Number(counted?.["n"]);
  } finally {
    db.close();
  }
  return { rows, former: replaceDatabase(path, target) };
}

/** A log with entries must be one that an earlier call has begun, from the same database. */
async function mustBeNewOrOurs(
  target: string,
  source: DatabaseSync,
  settings: LogSettings,
  openStream: Parameters<typeof openReplica>[0]["openStream"],
): Promise<void> {
  const { log, stream } = await readLogStatus(settings);
  if (!log || log.lastSeq === 0) return;
  const taken = errorOf("bus_invalid", `There is a log on the server already: ${stream}.`, {
    hint: `If nothing needs it any more, remove it: nats stream rm ${stream}`,
  });
  if (log.newestOffice?.writer !== COPIER) throw taken;
  const begun = await openReplica({ ...patient, path: target, openStream, writer: COPIER });
  try {
    if (!hasOnlyRowsOf(begun.db, source)) throw taken;
  } finally {
    begun.db.close();
    await begun.log.close();
  }
}

/** Hosts refuse an office with a lower epoch than one that they have heard. */
function formerEpoch(db: DatabaseSync): number {
  const row = db
    .prepare("SELECT value FROM records WHERE collection = ? AND key = 'team'")
    .get(EPOCHS);
  const value = row && (JSON.parse(String(row["value"])) as { epoch?: number });
  return value?.epoch ?? 0;
}

function noteEpoch(db: DatabaseSync, epoch: number): void {
  const value = JSON.stringify({ epoch });
  db.prepare(
    `INSERT INTO records (collection, key, value, fields, at) VALUES (?, 'team', ?, '{}', ?)
     ON CONFLICT (collection, key) DO UPDATE SET value = excluded.value`,
  ).run(EPOCHS, value, Date.now());
}

const SUFFIXES = ["", "-wal", "-shm"];

function removeDatabase(path: string): void {
  for (const suffix of SUFFIXES) rmSync(path + suffix, { force: true });
}

/** In one step: whatever happens, one of the two is there, and whole. Both are closed. */
function replaceDatabase(path: string, by: string): string {
  const former = `${path}.before`;
  copyFileSync(path, former);
  for (const file of [former, by]) syncFile(file);
  renameSync(by, path);
  syncDirectory(dirname(path));
  return former;
}

function syncFile(path: string): void {
  const fd = openSync(path, "r+");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
