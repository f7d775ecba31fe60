import { Buffer } from "node:buffer";
import type { TeamEvent } from "../../wire/team/events.ts";
import type { TimelinePage } from "../../wire/team/read-results.ts";
import type { Timeline } from "./timeline.ts";

/** How many events are read for one page. If few of them fit, the page is short, or empty. */
const MAX_READ = 5000;
/** A page must fit into one line to a client, so it may be shorter than requested. */
const MAX_PAGE_BYTES = 4_194_304;

export interface TimelinePageRequest {
  /** Back from here; from the newest event when both are absent. */
  readonly before?: number | undefined;
  /** Forward from here, up to `before` when there is one. */
  readonly after?: number | undefined;
  readonly limit: number;
}

/**
 * A page of the events that fit, read in bounded work. The page covers a part of the timeline: it has every event from
 * its `before` to its `after` that fits.
 *
 * @param maxRead for tests.
 */
export async function readTimelinePage(
  timeline: Timeline,
  { before, after, limit }: TimelinePageRequest,
  fits: (event: TeamEvent) => boolean,
  maxRead: number = MAX_READ,
): Promise<TimelinePage> {
  const end = Math.max(1, Math.min(before ?? Infinity, timeline.lastSeq + 1));
  const log_id = timeline.logId;
  const page = new PageDraft(fits, limit, maxRead);
  if (after === undefined) {
    const first = (await page.fill(timeline.before(end), () => true)) ?? 1;
    const events = page.events.toReversed();
    return { log_id, events, more: first > 1, before: first, after: end - 1 };
  }
  const rest = Math.max(after, end - 1);
  const last = (await page.fill(timeline.after(after), ({ seq }) => seq < end)) ?? rest;
  return { log_id, events: page.events, more: last < rest, before: after + 1, after: last };
}

/** Collects events until the page is full. */
class PageDraft {
  readonly events: TeamEvent[] = [];
  readonly #fits: (event: TeamEvent) => boolean;
  readonly #limit: number;
  #unread: number;
  #bytes = 0;

  constructor(fits: (event: TeamEvent) => boolean, limit: number, maxRead: number) {
    this.#fits = fits;
    this.#limit = limit;
    this.#unread = maxRead;
  }

  /** Returns the number of the last event that the page covers; undefined when it covers all that `isInside`. */
  async fill(
    batches: AsyncIterable<TeamEvent[]>,
    isInside: (event: TeamEvent) => boolean,
  ): Promise<number | undefined> {
    let covered: number | undefined;
    for await (const batch of batches) {
      for (const event of batch) {
        if (!isInside(event)) return undefined;
        if (!this.#take(event)) return covered;
        covered = event.seq;
        if (this.events.length === this.#limit || this.#unread === 0) return covered;
      }
    }
    return undefined;
  }

  /** False when the event does not fit into the line any more. A page without events would never get any further. */
  #take(event: TeamEvent): boolean {
    this.#unread -= 1;
    if (!this.#fits(event)) return true;
    const bytes = Buffer.byteLength(JSON.stringify(event));
    if (this.events.length > 0 && this.#bytes + bytes > MAX_PAGE_BYTES) return false;
    this.#bytes += bytes;
    this.events.push(event);
    return true;
  }
}
