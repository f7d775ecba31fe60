import { basename } from "node:path";
import type { Logger } from "../../log/logger.ts";
import type { EventLog } from "../log/event-log.ts";
import { openLog } from "../log/event-log.ts";
import type { LogPlaces } from "../place/log-places.ts";

export interface OpenedLog {
  readonly log: EventLog;
  readonly directory: string;
}

interface Manner {
  logger: Logger;
  maxSegmentBytes?: number;
}

/** Opens the log of a session, or begins one. To be called by the holder of the session's lock. */
export function openSessionLog(places: LogPlaces, sessionId: string, manner: Manner): OpenedLog {
  const existing = places.find(sessionId);
  if (existing !== undefined) {
    const log = open(existing, manner);
    const current = log.state.sessionId;
    if (current === undefined || current === sessionId) return { log, directory: existing };
    // A crash came between the change of the session's id and our note of it: the log went along.
    places.assign(current, existing);
    void log.close();
  }
  const directory = places.create();
  places.assign(sessionId, directory);
  return { log: open(directory, manner), directory };
}

const open = (directory: string, { logger, ...options }: Manner): EventLog =>
  openLog(directory, {
    ...options,
    logId: basename(directory),
    onWriteError: (err) =>
      logger.error({ err, log: basename(directory) }, "the log cannot be written"),
    onListenerError: (err) => logger.error({ err }, "a listener of the log has failed"),
  });
