import type { SessionAnswerOf } from "../../wire/session/answers.ts";
import type { SessionEvent } from "../../wire/session/events.ts";
import { decodeUtf8 } from "../../wire/utf8.ts";
import type { BlobPart } from "./blob-store.ts";
import { readLinesBackwards } from "./read-lines-backwards.ts";
import { Finder } from "./find-text-in-events.ts";
import type { SegmentRange } from "./seek-line.ts";

/** How much of the log one call reads, payloads beside it included. */
const MAX_READ_BYTES = 16_777_216;
/** A text may begin before the place from which a search goes on and end behind it: so many later events are read too. */
const OVERLAP_EVENTS = 200;
const BLOB_STEP_BYTES = 1_048_576;

export interface LogSearch {
  readonly text: string;
  /** Only in events before this one. */
  readonly before: number;
  /** The number of the next event. */
  readonly newest: number;
  readonly limit: number;
  readonly readBlob: (blob: string, offset: number, limit: number) => Promise<BlobPart>;
}

export type FoundPage = Pick<SessionAnswerOf<"found">, "hits" | "more" | "before">;

/**
 * The newest events before a number in which a text begins, newest first. Reads a bounded part of the log, and says where
 * to go on.
 *
 * @param segments newest first.
 */
export async function searchLog(
  segments: Iterable<SegmentRange>,
  { text, before, newest, limit, readBlob }: LogSearch,
): Promise<FoundPage> {
  const finder = new Finder(text);
  let readBytes = 0;
  let next = before;
  /** After the end, events that complete the previews. */
  let later = 0;
  for await (const lines of readLinesBackwards(
    segments,
    Math.min(before + OVERLAP_EVENTS, newest),
  )) {
    for (const line of lines) {
      const event = JSON.parse(decodeUtf8(line)) as SessionEvent;
      if (finder.count >= limit || readBytes >= MAX_READ_BYTES) {
        finder.complete(event);
        later += 1;
        if (finder.isComplete || later === OVERLAP_EVENTS) {
          return { hits: finder.hits, more: true, before: next };
        }
        continue;
      }
      const isContext = event.seq >= before;
      for (const blob of finder.take(event, isContext)) {
        const { bytes, isHit } = await searchBlob(finder, event, blob, readBlob);
        readBytes += bytes;
        if (isHit) break;
      }
      if (isContext) continue;
      readBytes += line.length;
      next = event.seq;
    }
  }
  return { hits: finder.hits, more: later > 0, ...(later > 0 && { before: next }) };
}

/** A payload that is gone holds nothing. */
async function searchBlob(
  finder: Finder,
  event: SessionEvent,
  blob: string,
  readBlob: LogSearch["readBlob"],
): Promise<{ bytes: number; isHit: boolean }> {
  const decoder = new TextDecoder();
  let offset = 0;
  let end = "";
  for (;;) {
    const part = await readBlob(blob, offset, BLOB_STEP_BYTES).catch(() => undefined);
    if (!part || part.data.length === 0) return { bytes: offset, isHit: false };
    const text = end + decoder.decode(part.data, { stream: true });
    offset += part.data.length;
    if (finder.takeText(event, text)) return { bytes: offset, isHit: true };
    end = text.slice(-finder.overlap);
  }
}
