import { JetStreamApiCodes, JetStreamApiError, jetstreamManager } from "@nats-io/jetstream";
import type { JetStreamManager, StreamInfo } from "@nats-io/jetstream";
import { isRecord } from "../../wire/json.ts";
import type { LogSettings } from "../changelog/log-settings.ts";
import { connectForLog, untilAnswered } from "./open-jetstream.ts";
import { seesSyncAlways } from "./sees-sync-always.ts";
import { logIdOf, streamNameOf, subjectsOf } from "./stream-config.ts";

/** What a server says of a team's log. */
export interface LogStatus {
  readonly serverVersion: string;
  readonly stream: string;
  /** Undefined when there is no log. */
  readonly log: LogFacts | undefined;
}

export interface LogFacts {
  readonly logId: string;
  readonly entries: number;
  readonly bytes: number;
  readonly lastSeq: number;
  readonly copies: number;
  /** Every server that stores it was seen to sync always. */
  readonly powerLossSafe: boolean;
  readonly newestOffice: NewestOffice | undefined;
}

export interface NewestOffice {
  readonly epoch: number;
  readonly writer: string;
  readonly at: string;
  /** Where the team is stored since. */
  readonly leftFor: string | undefined;
}

/** Looks at a team's log without changing anything. Fails with `bus_unavailable`, `bus_refused` or `bus_invalid`. */
export async function readLogStatus(settings: LogSettings): Promise<LogStatus> {
  const stream = streamNameOf(settings.team);
  const connection = await connectForLog(settings);
  try {
    const { version: serverVersion = "", server_id = "" } = connection.info ?? {};
    const manager = await jetstreamManager(connection, { timeout: 2000, checkAPI: false });
    const info = await untilAnswered(() => infoOf(manager, stream));
    if (!info) return { serverVersion, stream, log: undefined };
    const { state, config } = info;
    const log: LogFacts = {
      logId: logIdOf(info),
      entries: state.messages,
      bytes: state.bytes,
      lastSeq: state.last_seq,
      copies: config.num_replicas,
      powerLossSafe: await seesSyncAlways(info, server_id, settings.monitors ?? []),
      newestOffice: await newestOfficeIn(manager, settings.team),
    };
    return { serverVersion, stream, log };
  } finally {
    await connection.close();
  }
}

async function infoOf(manager: JetStreamManager, stream: string): Promise<StreamInfo | undefined> {
  try {
    return await manager.streams.info(stream);
  } catch (error) {
    if (isCode(error, JetStreamApiCodes.StreamNotFound)) return undefined;
    throw error;
  }
}

async function newestOfficeIn(
  manager: JetStreamManager,
  team: string,
): Promise<NewestOffice | undefined> {
  try {
    const query = { last_by_subj: subjectsOf(team).office };
    const found = await manager.streams.getMessage(streamNameOf(team), query);
    const said: unknown = found && JSON.parse(new TextDecoder().decode(found.data));
    if (!found || !isRecord(said)) return undefined;
    const { epoch, writer, left_for } = said;
    return {
      epoch: Number(epoch),
      writer: String(writer),
      at: found.time.toISOString(),
      leftFor: typeof left_for === "string" ? left_for : undefined,
    };
  } catch (error) {
    if (isCode(error, JetStreamApiCodes.NoMessageFound)) return undefined;
    throw error;
  }
}

const isCode = (error: unknown, code: number): boolean =>
  error instanceof JetStreamApiError && error.code === code;
