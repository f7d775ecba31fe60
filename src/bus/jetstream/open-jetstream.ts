import { randomUUID } from "node:crypto";
import type { JetStreamManager, StreamInfo } from "@nats-io/jetstream";
import {
  JetStreamApiCodes,
  JetStreamApiError,
  jetstream,
  jetstreamManager,
} from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { PermissionViolationError } from "@nats-io/transport-node";
import { connectToNats } from "../../nats/connect-nats.ts";
import { accessOf } from "../../nats/nats-credentials.ts";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import type { LogSettings } from "../changelog/log-settings.ts";
import type { EntryStream } from "../changelog/entry-stream.ts";
import { JetStreamEntries, describe } from "./jetstream-entries.ts";
import { seesSyncAlways } from "./sees-sync-always.ts";
import { mustBeNewEnough } from "./server-version.ts";
import { logIdOf, newStream, streamNameOf } from "./stream-config.ts";

const API_MS = 2_000;
const ACK_MS = 2_000;
const RECONNECT_MS = 100;
/** A cluster without a leader answers after an election. */
const ELECTION_MS = 30_000;
const ASK_AGAIN_MS = 250;
const NAME_IN_USE = 10_058;

/**
 * Connects, and opens the team's log. When `logId` is given it must exist; else it is created if it is missing. Fails with
 * `bus_unavailable`, or `bus_invalid` when there is no such log, it may lose entries, or the server is too old.
 */
export async function openJetStream(
  settings: LogSettings,
  logId: string | undefined,
): Promise<{ stream: EntryStream; isPowerLossSafe: boolean }> {
  const { team, ackMs = ACK_MS, monitors = [] } = settings;
  const stream = streamNameOf(team);
  const connection = await connectForLog(settings);
  try {
    const { info } = connection;
    mustBeNewEnough(info?.version ?? "", connection.getServer());
    const manager = await jetstreamManager(connection, { timeout: API_MS, checkAPI: false });
    const found = await untilAnswered(() => findOrCreate(manager, settings, logId, connection));
    const client = jetstream(connection, { timeout: API_MS });
    const parts = { connection, client, manager, team, stream, logId: logIdOf(found), ackMs };
    return {
      stream: new JetStreamEntries(parts),
      isPowerLossSafe: await seesSyncAlways(found, info?.server_id ?? "", monitors),
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

export async function connectForLog(settings: LogSettings): Promise<NatsConnection> {
  const { servers, team, credentials, onlyTheseServers = false } = settings;
  const access = accessOf(servers.join(","), credentials);
  try {
    return await connectToNats(
      { ...access, name: `${access.name} ${team}` },
      {
        noEcho: true,
        reconnectTimeWait: RECONNECT_MS,
        reconnectJitter: RECONNECT_MS,
        ignoreClusterUpdates: onlyTheseServers,
      },
    );
  } catch (error) {
    if (!(error instanceof ClaudeCodeError) || error.code !== "connection_failed") throw error;
    throw errorOf("bus_unavailable", error.message, { cause: error, hint: error.hint });
  }
}

async function findOrCreate(
  manager: JetStreamManager,
  settings: LogSettings,
  logId: string | undefined,
  connection: NatsConnection,
): Promise<StreamInfo> {
  const name = streamNameOf(settings.team);
  try {
    return await manager.streams.info(name);
  } catch (error) {
    if (!isApiError(error, JetStreamApiCodes.StreamNotFound)) throw error;
  }
  if (logId !== undefined) {
    throw errorOf("bus_invalid", `The log has gone: there is no stream ${name} any more.`, {
      hint: "Restore the servers' store, or begin a new log from this database: 'switchboard bus repair'.",
    });
  }
  const { replicas = connection.info?.cluster === undefined ? 1 : 3 } = settings;
  try {
    return await manager.streams.add(newStream(settings, randomUUID(), replicas));
  } catch (error) {
    // Another process has just begun it, with an id of its own.
    if (isApiError(error, NAME_IN_USE)) return manager.streams.info(name);
    throw error;
  }
}

/** Asks again while the servers choose who leads. What a server refuses for good is `bus_unavailable` at once. */
export async function untilAnswered<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  const startMs = performance.now();
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof Error && "code" in error && typeof error.code === "string") throw error;
      if (isRefused(error)) {
        const hint = "Use the file of credentials that 'switchboard bus init' wrote for the team.";
        throw errorOf("bus_refused", `The log is closed to us: ${describe(error)}.`, { hint });
      }
      const isFinal = error instanceof JetStreamApiError && !temporary.has(error.code);
      if (isFinal || performance.now() - startMs > ELECTION_MS) {
        const message = `The NATS servers cannot open the log: ${describe(error)}.`;
        throw errorOf("bus_unavailable", message, { cause: error });
      }
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
    }
  }
}

const temporary: ReadonlySet<number> = new Set([10_008, 10_009]);

const isRefused = (error: unknown): boolean =>
  error instanceof Error &&
  (error instanceof PermissionViolationError || error.cause instanceof PermissionViolationError);

const isApiError = (error: unknown, code: number): boolean =>
  error instanceof JetStreamApiError && error.code === code;
