import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { reasonOf } from "../../files/system-error-code.ts";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import { LineSplitter } from "../../wire/lines.ts";
import type { SessionEvent } from "../../wire/session/events.ts";
import { parseEvent } from "../../wire/session/events.ts";
import { decode } from "../../wire/splitter.ts";
import { currentPath, olderPath, olderSegments } from "../log/segment-files.ts";

/** A log that is only read. */
export interface Recording {
  readonly events: SessionEvent[];
  /** The directory of its blobs, when it is a whole log. */
  readonly directory: string | undefined;
}

/**
 * Reads a log's directory, or a file of events as lines.
 *
 * @throws `log_damaged` with file and line when a line is not an event; `invalid_params` when the file cannot be
 * read.
 */
export function readRecording(path: string): Recording {
  try {
    return read(path);
  } catch (error) {
    if (error instanceof ClaudeCodeError) throw error;
    throw errorOf("invalid_params", `${path} is not a recording: ${reasonOf(error)}`, {
      cause: error,
      hint: "Name the directory of a session's log, or a file with one event per line.",
    });
  }
}

function read(path: string): Recording {
  if (!statSync(path).isDirectory()) {
    return { events: withoutRepeats(readEvents(path)), directory: undefined };
  }
  if (!existsSync(currentPath(path))) throw noLog(path);
  const files = [...olderSegments(path).map((seq) => olderPath(path, seq)), currentPath(path)];
  return { events: withoutRepeats(files.flatMap(readEvents)), directory: path };
}

const noLog = (directory: string): ClaudeCodeError =>
  errorOf("invalid_params", `There is no session log in the directory ${directory}.`, {
    hint: "'agent-socket list' shows the logs with their directories.",
  });

/** True when the model of the session was a rehearsed script, as its log says at the beginning. */
export const isRehearsal = ({ events }: Recording): boolean =>
  events.some((event) => event.type === "notice" && event.code === "rehearsal");

export const blobsOf = (directory: string): string => join(directory, "blobs");

function readEvents(file: string): SessionEvent[] {
  return new LineSplitter().push(readFileSync(file)).map((split, index) => {
    const parsed = decode(split);
    const checked = parsed.ok ? parseEvent(parsed.value) : parsed;
    if (checked.ok) return checked.value;
    const message = `${file}, line ${index + 1}: ${checked.error.message}`;
    throw errorOf("log_damaged", message, { cause: checked.error });
  });
}

/** A snapshot repeats the segments before it; without them it is the beginning. */
function withoutRepeats(events: SessionEvent[]): SessionEvent[] {
  let isInside = false;
  return events.filter(({ type }, index) => {
    if (type === "snapshot_begin") isInside = index > 0;
    const keep = !isInside;
    if (type === "snapshot_end") isInside = false;
    return keep;
  });
}
