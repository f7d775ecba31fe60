import { basename } from "node:path";
import type { Logger } from "../../log/logger.ts";
import type { EventLog } from "../log/event-log.ts";
import { openLog } from "../log/open-log.ts";
import type { LogIndex } from "../files/log-index.ts";
import { heldSessions } from "../files/session-lock.ts";

export interface OpenedLog {
  readonly log: EventLog;
  readonly directory: string;
}

interface Manner {
  logger: Logger;
  maxSegmentBytes?: number;
}

/**
 * Opens the session's log, or creates one. Only the holder of the session's lock may call it.
 *
 * A crash may come between a change of the session's id and our record of it. The id then still leads to a log that
 * belongs to another session, whose host may be writing to it.
 */
export async function openSessionLog(
  places: LogIndex,
  sessionId: string,
  manner: Manner,
): Promise<OpenedLog> {
  const existing = places.find(sessionId);
  if (existing !== undefined && !(await isInUse(existing))) {
    const log = open(existing, manner);
    const current = log.state.sessionId;
    if (current === undefined || current === sessionId) return { log, directory: existing };
    if (places.find(current) === undefined) places.assign(current, existing);
    await log.close();
  }
  const directory = places.create();
  places.assign(sessionId, directory);
  return { log: open(directory, manner), directory };
}

/**
 * Whether the host of another session uses this log. The holder of this session's lock has not announced a log yet.
 */
async function isInUse(directory: string): Promise<boolean> {
  return (await heldSessions()).some(({ log_id }) => log_id === basename(directory));
}

const open = (directory: string, { logger, ...options }: Manner): EventLog =>
  openLog(directory, {
    ...options,
    logId: basename(directory),
    onWriteError: (err) =>
      logger.error({ err, log: basename(directory) }, "the log cannot be written"),
    onListenerError: (err) => logger.error({ err }, "a listener of the log has failed"),
  });
