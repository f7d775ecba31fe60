import { hostname } from "node:os";
import { readReplica } from "../changelog/replica.ts";
import { systemClock } from "../../time/clock.ts";
import { errorOf } from "../../wire/errors.ts";
import { OpenDatabase } from "./database-in-use.ts";
import { openDatabase } from "./open-database-file.ts";
import type { FromWorker, WorkerSettings } from "./thread-messages.ts";
import type { TransactedDatabase } from "./transacted-database.ts";
import { LoneDatabase } from "./transacted-database.ts";

type Opened = Omit<Extract<FromWorker, { kind: "opened" }>, "kind"> & {
  database: TransactedDatabase;
};

/** Opens the database of a bus, alone or as the replica of a log. Only the second loads what talks to NATS. */
export async function openBusDatabase(
  settings: WorkerSettings,
  onDeposed: (by: string) => void,
): Promise<Opened> {
  return settings.log ? openLogged({ ...settings, log: settings.log }, onDeposed) : alone(settings);
}

function alone({ path, maxAttempts, checkpointPages, isCopy }: WorkerSettings): Opened {
  const db = openDatabase(path, { checkpointPages });
  if (!isCopy && readReplica(db)) {
    db.close();
    throw errorOf(
      "bus_invalid",
      `${path} is the copy of a log on NATS, and must follow that log.`,
      {
        hint: "Start the team with --bus and the address of its NATS servers, or run 'switchboard bus migrate --to sqlite'.",
      },
    );
  }
  return {
    database: new LoneDatabase(new OpenDatabase(db, maxAttempts)),
    promises: { adapter: "sqlite", powerLossSafe: true, multiHost: false, atomicRecords: true },
    office: undefined,
  };
}

async function openLogged(
  settings: WorkerSettings & Required<Pick<WorkerSettings, "log">>,
  onDeposed: (by: string) => void,
): Promise<Opened> {
  const { log, path, maxAttempts, checkpointPages } = settings;
  if (!log) throw new Error("The settings name no log.");
  const { openLoggedDatabase } = await import("../changelog/open-logged-database.ts");
  const { openJetStream } = await import("../jetstream/open-jetstream.ts");
  let powerLossSafe = false;
  const opened = await openLoggedDatabase({
    path,
    maxAttempts,
    checkpointPages,
    patienceMs: log.patienceMs,
    resumeFrom: log.resumeFrom,
    writer: log.writer ?? `${hostname()} ${process.pid}`,
    epochAfter: log.epochAfter,
    leavesFor: log.leavesFor,
    clock: systemClock,
    async openStream(logId) {
      const { stream, isPowerLossSafe } = await openJetStream(log, logId);
      powerLossSafe = isPowerLossSafe;
      return stream;
    },
    onDeposed,
  });
  const promises = { adapter: "nats", powerLossSafe, multiHost: true, atomicRecords: true };
  return { ...opened, promises };
}
