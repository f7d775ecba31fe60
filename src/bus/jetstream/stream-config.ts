import type { StreamConfig, StreamInfo } from "@nats-io/jetstream";
import { errorOf } from "../../wire/errors.ts";
import type { LogSettings } from "../changelog/log-settings.ts";

const LOG_ID = "sb.log_id";
const FORMAT = "sb.format";
const OWN_FORMAT = "1";
const TEAM_NAME = /^[A-Za-z0-9_-]{1,64}$/;

export function streamNameOf(team: string): string {
  if (TEAM_NAME.test(team)) return `SB_${team}_LOG`;
  throw errorOf(
    "invalid_params",
    `A team on NATS needs a name of letters, digits, "_" and "-", 64 at most: "${team}" has others.`,
  );
}

export const subjectsOf = (team: string) => ({
  all: `sb.${team}.log.*`,
  batch: `sb.${team}.log.batch`,
  office: `sb.${team}.log.office`,
});

/** The stream of a new log: it drops nothing by itself, and refuses when it is full. */
export const newStream = (
  { team, maxLogBytes = -1 }: LogSettings,
  logId: string,
  replicas: number,
): Partial<StreamConfig> & { name: string } => ({
  name: streamNameOf(team),
  subjects: [subjectsOf(team).all],
  storage: "file",
  retention: "limits",
  discard: "new",
  num_replicas: replicas,
  max_bytes: maxLogBytes,
  deny_delete: true,
  deny_purge: true,
  allow_direct: false,
  metadata: { [LOG_ID]: logId, [FORMAT]: OWN_FORMAT },
});

/** The id of the log in a stream. Fails with `bus_invalid` when it is no log, or could drop entries. */
export function logIdOf({ config }: StreamInfo): string {
  const logId = config.metadata?.[LOG_ID];
  const format = config.metadata?.[FORMAT];
  if (logId === undefined || format === undefined) {
    throw errorOf("bus_invalid", `The stream ${config.name} is not the log of a team.`);
  }
  if (format !== OWN_FORMAT) {
    throw errorOf("bus_invalid", `The log has format ${format}; this program knows ${OWN_FORMAT}.`);
  }
  const drops = [
    config.retention !== "limits" && `retention is "${config.retention}", not "limits"`,
    config.discard !== "new" && `discard is "${config.discard}", not "new"`,
    config.max_age > 0 && "entries have a greatest age",
    config.storage !== "file" && `it is stored in "${config.storage}", not in files`,
  ].filter((each) => each !== false);
  if (drops.length === 0) return logId;
  throw errorOf("bus_invalid", `The stream ${config.name} may lose entries: ${drops.join("; ")}.`);
}
