import { basename } from "node:path";
import type { Logger } from "../../log/logger.ts";
import type { EventLog } from "../log/event-log.ts";
import { openLog } from "../log/event-log.ts";
import type { LogPlaces } from "../place/log-places.ts";
import { heldSessions } from "../place/session-lock.ts";

export interface OpenedLog {
  readonly log: EventLog;
  readonly directory: string;
}

interface Manner {
  logger: Logger;
  maxSegmentBytes?: number;
}

/**
 * Opens the log of a session, or begins one. To be called by the holder of the session's lock.
 *
 * A crash may come between the change of the session's id and our notes of it. Then the id still leads to a log
 * that went along with another one, whose host may be writing to it now.
 */
export async function openSessionLog(
  places: LogPlaces,
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

/** By the host of another session: the holder of this one's lock has not said yet which log is its own. */
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
