import type { SessionEvent } from "../../wire/session/events.ts";
import type { Recent } from "./compose-snapshot.ts";
import { scanSegment } from "./scan-segment.ts";
import { lineAfter, seqAt } from "./seek-line.ts";

/** How much of the log is read for a snapshot: once per segment, in well under a second. */
const TAIL_BYTES = 8_388_608;

/** The newest events of a fully written segment. */
export function recentEvents(fd: number, path: string, size: number, firstSeq: number): Recent {
  const offset = size > TAIL_BYTES ? lineAfter(fd, size - TAIL_BYTES, size) : 0;
  if (offset >= size) return { events: [], whole: false };
  const events: SessionEvent[] = [];
  scanSegment(fd, path, { offset, seq: seqAt(fd, path, offset) }, (event) => events.push(event));
  return { events, whole: offset === 0 && (firstSeq === 1 || !isCut(events[0])) };
}

const isCut = (event: SessionEvent | undefined): boolean =>
  event?.type !== "snapshot_begin" || event.omitted === true;
