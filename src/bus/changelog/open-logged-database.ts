import type { DatabaseSync } from "node:sqlite";
import type { Clock } from "../../time/clock.ts";
import { errorOf } from "../../wire/errors.ts";
import { isRecord } from "../../wire/json.ts";
import { openDatabase } from "../sqlite/open-database-file.ts";
import { newestSchema, schemaOf } from "../sqlite/migrations.ts";
import { Changelog } from "./changelog.ts";
import type { Entry } from "./entry.ts";
import type { EntryStream } from "./entry-stream.ts";
import { LoggedDatabase } from "./logged-database.ts";
import { Replica, readReplica } from "./replica.ts";
import type { ReplicaState } from "./replica.ts";

const PATIENCE_MS = 30_000;
/** How long to ask for the replica's last entry: a server that leads no more may not know it. */
const HEAD_PATIENCE_MS = 5_000;
const ASK_AGAIN_MS = 250;
/** In one transaction of the replica. */
const ENTRIES_AT_ONCE = 256;

export interface OpeningOptions {
  path: string;
  maxAttempts: number;
  checkpointPages?: number | undefined;
  patienceMs?: number | undefined;
  resumeFrom?: number | undefined;
  writer: string;
  /** The last epoch that the team had before its log began. */
  epochAfter?: number | undefined;
  /** This is the log's last office: the team is stored elsewhere from now on. */
  leavesFor?: string | undefined;
  clock: Clock;
  /** Opens the log; one of this id when the replica knows it, and then it never begins a new one. */
  openStream: (logId: string | undefined) => Promise<EntryStream>;
  onDeposed: (by: string) => void;
}

/** A replica, and the log that it has up to its end, or nearly. */
interface OpenReplica {
  readonly db: DatabaseSync;
  readonly log: Changelog;
  readonly replica: Replica;
}

/**
 * Opens the replica at `path`, which may be missing, brings it to the end of the log, and becomes the office. Fails with
 * `bus_invalid` when the log lacks what the replica has, or is another one, or the team has left it; with `bus_in_use` when
 * another process became the office at the same time; with `bus_unavailable` or `disk_full`.
 */
export async function openLoggedDatabase(
  options: OpeningOptions,
): Promise<{ database: LoggedDatabase; office: { seq: number; epoch: number } }> {
  const { maxAttempts, onDeposed, epochAfter = 0, leavesFor } = options;
  const parts = await openReplica(options);
  const { db, log, replica } = parts;
  try {
    mustStillBeOffice(options, log);
    const newest = await log.newestOffice();
    if (newest.kind === "failed") throw errorOf("bus_unavailable", newest.why);
    if (leavesFor === undefined && newest.kind === "found") mustNotHaveLeft(newest.entry);
    const { head, office } = log;
    // A new log of a team that had offices before.
    if (head.seq === 0) log.goTo(head, { seq: 0, epoch: Math.max(office.epoch, epochAfter) });
    const taken = await takeOver(log, leavesFor);
    await catchUp(db, log, replica, taken.seq);
    return { database: new LoggedDatabase(parts, maxAttempts, onDeposed), office: taken };
  } catch (error) {
    db.close();
    await log.close();
    throw error;
  }
}

/** Opens the replica at `path`, which may be missing, and brings it to about the end of the log. Fails as above. */
export async function openReplica(
  options: Pick<OpeningOptions, "path" | "checkpointPages" | "patienceMs" | "openStream"> &
    Pick<OpeningOptions, "clock" | "writer">,
): Promise<OpenReplica> {
  const { path, checkpointPages, patienceMs = PATIENCE_MS, clock, writer } = options;
  const db = openDatabase(path, { checkpointPages, synchronous: "NORMAL", schema: 0 });
  let stream: EntryStream | undefined;
  try {
    const known = knownReplica(db, path);
    stream = await options.openStream(known?.logId);
    const log = new Changelog(stream, { schema: newestSchema, clock, patienceMs, writer });
    const replica = new Replica(db, stream.logId);
    log.goTo(replica.state.head, replica.state.office);
    await mustHaveHead(log, replica.state, clock);
    const parts = { db, log, replica };
    await followToEnd(parts);
    return parts;
  } catch (error) {
    db.close();
    await stream?.close();
    throw error;
  }
}

/** Brings the replica to about the end of its log. */
export async function followToEnd({ db, log, replica }: OpenReplica): Promise<void> {
  const office = await log.newestOffice();
  const officeSeq = office.kind === "found" ? office.entry.seq : 0;
  await catchUp(db, log, replica, Math.max(officeSeq, await log.approximateEnd()));
}

function knownReplica(db: DatabaseSync, path: string): ReplicaState | undefined {
  const known = readReplica(db);
  if (known || schemaOf(db) === 0) return known;
  throw errorOf("bus_invalid", `${path} is the database of a team without a log on NATS.`, {
    hint: "Run 'switchboard bus migrate --to nats', or start the team without --bus.",
  });
}

/** The log must have what the replica has: if it does not, it has lost entries, or is another one. */
async function mustHaveHead(log: Changelog, replica: ReplicaState, clock: Clock): Promise<void> {
  const { head, batch } = replica;
  if (head.seq === 0) return;
  const startMs = clock.steadyMs();
  for (;;) {
    const looked = await log.look(head.seq);
    if (looked.kind === "found") {
      const { entry } = looked;
      if (entry.batch === batch && (entry.chain ?? head.chain) === head.chain) return;
      throw notItsLog(`entry ${head.seq} of the log is not the one that the database has`);
    }
    if (clock.steadyMs() - startMs > HEAD_PATIENCE_MS) {
      if (looked.kind === "failed") throw errorOf("bus_unavailable", looked.why);
      throw notItsLog(`the log ends before entry ${head.seq}, which the database has`);
    }
    await new Promise<void>((resolve) => clock.after(ASK_AGAIN_MS, resolve));
  }
}

const notItsLog = (why: string): Error =>
  errorOf("bus_invalid", `The log has lost what the database still has: ${why}.`, {
    hint: "Keep the database: it is the only copy of what the log has lost. See 'switchboard bus repair'.",
  });

function mustStillBeOffice({ resumeFrom, onDeposed }: OpeningOptions, log: Changelog): void {
  if (resumeFrom === undefined || log.office.seq <= resumeFrom) return;
  const by = `office ${log.office.epoch} of the log, in entry ${log.office.seq}`;
  onDeposed(by);
  throw errorOf("bus_closed", `The team has another office now: ${by}.`);
}

/** The last office of a log says where the team has gone. */
function mustNotHaveLeft({ data }: Entry): void {
  const said: unknown = JSON.parse(Buffer.from(data).toString());
  if (!isRecord(said) || typeof said["left_for"] !== "string") return;
  throw errorOf("bus_invalid", `The team has left this log: it is stored in ${said["left_for"]}.`, {
    hint: "Start it there without --bus. To come back, remove the stream on the server, and run 'switchboard bus migrate --to nats' there.",
  });
}

async function takeOver(
  log: Changelog,
  leavesFor: string | undefined,
): Promise<{ seq: number; epoch: number }> {
  const outcome = await log.takeOver(leavesFor);
  if (outcome.kind === "taken") return outcome;
  if (outcome.kind === "refused") {
    throw errorOf("disk_full", `The log takes no more: ${outcome.why}.`);
  }
  if (outcome.kind === "unknown") {
    throw errorOf("bus_unavailable", `The log did not answer: ${outcome.why}.`);
  }
  const message = "Another process became the office of this team at the same time.";
  throw errorOf("bus_in_use", message, { hint: "The team runs there: stop it there, or use it." });
}

async function catchUp(
  db: DatabaseSync,
  log: Changelog,
  replica: Replica,
  upTo: number,
): Promise<void> {
  if (upTo <= log.head.seq) return;
  db.exec("BEGIN");
  try {
    let open = 0;
    for await (const entry of log.read(upTo)) {
      if (entry.seq !== log.head.seq + 1) {
        throw errorOf("bus_invalid", `The log lacks entry ${log.head.seq + 1}.`);
      }
      replica.take(entry);
      log.pass(entry);
      open += 1;
      if (open % ENTRIES_AT_ONCE === 0) db.exec("COMMIT; BEGIN");
    }
    db.exec("COMMIT");
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
  if (log.head.seq < upTo) throw errorOf("bus_unavailable", `The log ended before entry ${upTo}.`);
}
