import type { LogBatch, StreamLog } from "../../stream/log-batch.ts";
import { encodeLine } from "../../wire/lines.ts";
import type { TeamEvent } from "../../wire/team/events.ts";
import type { Timeline } from "./timeline.ts";

/** How many events one batch of a replay holds at most. */
const BATCH = 64;

/** The timeline as lines, for the feeds of its clients: what is published is encoded once for all of them. */
export class TimelineLog implements StreamLog {
  readonly firstSeq = 1;
  readonly #timeline: Timeline;
  readonly #listeners = new Set<(batch: LogBatch) => void>();

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
    timeline.subscribe((events) => {
      if (this.#listeners.size === 0) return;
      const batch = batchOf(events);
      for (const listener of this.#listeners) listener(batch);
    });
  }

  get publishedSeq(): number {
    return this.#timeline.lastSeq;
  }

  subscribe(listener: (batch: LogBatch) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async *readAfter(since: number): AsyncGenerator<LogBatch> {
    for await (const events of this.#timeline.after(since)) {
      for (let start = 0; start < events.length; start += BATCH) {
        yield batchOf(events.slice(start, start + BATCH));
      }
    }
  }
}

/** @param events at least one, without gaps. */
function batchOf(events: readonly TeamEvent[]): LogBatch {
  const lines = events.map((event) => encodeLine(event));
  const bytes = new Uint8Array(lines.reduce((sum, line) => sum + line.length, 0));
  let offset = 0;
  for (const line of lines) {
    bytes.set(line, offset);
    offset += line.length;
  }
  return { firstSeq: events[0]?.seq ?? 0, lastSeq: events.at(-1)?.seq ?? 0, bytes };
}
