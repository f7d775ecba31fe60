import type { SessionEvent } from "../../wire/session/events.ts";
import { decodeUtf8 } from "../../wire/utf8.ts";
import { closedBy, joinDeltas, pieceOf, streamOf } from "./join-deltas.ts";
import { readLinesBackwards } from "./read-lines-backwards.ts";
import type { SegmentRange } from "./seek-line.ts";

/** A page must fit into one line to a client, so it may be shorter than requested. */
const MAX_PAGE_BYTES = 4_194_304;
/** How much of the log is read for a page whose deltas are joined. */
const MAX_READ_BYTES = 16_777_216;

export interface EventPage {
  events: SessionEvent[];
  /** There are older events. */
  more: boolean;
}

export interface PageOptions {
  /** Joins the deltas of a text: they count as one event. */
  readonly whole?: boolean;
}

/**
 * The newest events before a number, oldest first. Every event is in exactly one page, if the next page ends before the
 * first event of this one: also with `whole`, where a text that does not fit into a page is continued in the next.
 *
 * @param segments newest first.
 */
export async function readHistoryPage(
  segments: Iterable<SegmentRange>,
  before: number,
  limit: number,
  { whole = false }: PageOptions = {},
): Promise<EventPage> {
  const page = new Page(limit, whole);
  for await (const lines of readLinesBackwards(segments, before)) {
    for (const line of lines) if (!page.take(line)) return { events: page.events, more: true };
  }
  return { events: page.events, more: false };
}

class Page {
  readonly #limit: number;
  readonly #whole: boolean;
  readonly #newestFirst: SessionEvent[] = [];
  /** Streams of which the page has pieces that older ones may be joined to. */
  #open = new Set<string>();
  #count = 0;
  #bytes = 0;
  #readBytes = 0;

  constructor(limit: number, whole: boolean) {
    this.#limit = limit;
    this.#whole = whole;
  }

  get events(): SessionEvent[] {
    const events = this.#newestFirst.toReversed();
    return this.#whole ? joinDeltas(events) : events;
  }

  /** Returns false when the page is full; the line is then not in it. */
  take(line: Uint8Array): boolean {
    const event = JSON.parse(decodeUtf8(line)) as SessionEvent;
    const stream = this.#whole ? streamOf(event) : undefined;
    const isJoined = stream !== undefined && this.#open.has(stream);
    const size = isJoined ? Buffer.byteLength(JSON.stringify(pieceOf(event))) : line.length;
    this.#readBytes += line.length;
    const isFull =
      (!isJoined && this.#count >= this.#limit) ||
      this.#bytes + size > MAX_PAGE_BYTES ||
      this.#readBytes > MAX_READ_BYTES;
    // A page without events would never get any further.
    if (isFull && this.#count > 0) return false;
    this.#newestFirst.push(event);
    this.#bytes += size;
    if (!isJoined) this.#count += 1;
    if (stream !== undefined) this.#open.add(stream);
    const closes = this.#whole ? closedBy(event) : undefined;
    if (closes) this.#open = new Set([...this.#open].filter((each) => !closes(each)));
    return true;
  }
}
