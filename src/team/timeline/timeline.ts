import { randomUUID } from "node:crypto";
import type { Records, Write } from "../../bus/records.ts";
import type { JsonObject } from "../../wire/json.ts";
import type { TeamEvent } from "../../wire/team-events.ts";

type Draft = TeamEvent extends infer Event
  ? Event extends TeamEvent
    ? Omit<Event, "seq" | "at">
    : never
  : never;
export type TeamEventDraft = Draft;

const EVENTS = "timeline";
const ABOUT = "timeline-about";
/** Events are found page by page, because records have no ranges. */
const PAGE = 100;
const RECENT = 500;

/**
 * Everything that happens in a team, as numbered events. An event is on the disk before anybody is told,
 * so that a client's place in the timeline is good for ever.
 */
export class Timeline {
  readonly logId: string;
  readonly #records: Records;
  readonly #listeners = new Set<(events: readonly TeamEvent[]) => void>();
  #queued: TeamEvent[] = [];
  /** The newest events, so that those who keep up do not read the disk. */
  #recent: TeamEvent[] = [];
  #writing: Promise<void> | undefined;
  #failed: ((error: unknown) => void) | undefined;
  #lastSeq: number;
  /** The newest event that listeners were told. */
  #toldSeq: number;

  private constructor(records: Records, logId: string, lastSeq: number) {
    this.#records = records;
    this.logId = logId;
    this.#lastSeq = lastSeq;
    this.#toldSeq = lastSeq;
  }

  static async open(records: Records): Promise<Timeline> {
    const about = await records.get(ABOUT, "log");
    const known = about?.value["log_id"];
    const logId = typeof known === "string" ? known : randomUUID();
    if (!about) {
      await records.write([
        { kind: "put", collection: ABOUT, key: "log", value: { log_id: logId } },
      ]);
    }
    const newest = await records.query({ collection: EVENTS, order: "newest", limit: 1 });
    return new Timeline(records, logId, Number(newest.items[0]?.key ?? 0));
  }

  get lastSeq(): number {
    return this.#toldSeq;
  }

  /** Has there been a process before this one? */
  get isNew(): boolean {
    return this.#lastSeq === 0;
  }

  append(draft: TeamEventDraft): void {
    this.#lastSeq += 1;
    const event = { ...draft, seq: this.#lastSeq, at: new Date().toISOString() };
    this.#queued.push(event);
    this.#writing ??= this.#write();
  }

  /** Resolves when all that was appended has been written and told. */
  async flushed(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  subscribe(listener: (events: readonly TeamEvent[]) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Who is told when the disk does not take an event any more. */
  onFailure(call: (error: unknown) => void): void {
    this.#failed = call;
  }

  /** The events after `since` that have been told by now, oldest first. */
  async *after(since: number): AsyncGenerator<TeamEvent[]> {
    const upto = this.#toldSeq;
    if (since >= upto) return;
    const [oldest] = this.#recent;
    if (oldest && oldest.seq <= since + 1) {
      yield this.#recent.filter(({ seq }) => seq > since);
      return;
    }
    for (let page = pageOf(since + 1); page <= pageOf(upto); page += 1) {
      const { items } = await this.#records.query({
        collection: EVENTS,
        where: { page: String(page) },
        order: "oldest",
        limit: PAGE,
      });
      const events = items
        .map(({ value }) => value as unknown as TeamEvent)
        .filter(({ seq }) => seq > since && seq <= upto);
      if (events.length > 0) yield events;
    }
  }

  async #write(): Promise<void> {
    // Whatever happens in the same instant is written at once.
    await Promise.resolve();
    try {
      while (this.#queued.length > 0) {
        const events = this.#queued;
        this.#queued = [];
        await this.#records.write(events.map(toWrite));
        this.#toldSeq = events.at(-1)?.seq ?? this.#toldSeq;
        this.#recent = [...this.#recent, ...events].slice(-RECENT);
        for (const listener of this.#listeners) listener(events);
      }
    } catch (error) {
      this.#failed?.(error);
    } finally {
      this.#writing = undefined;
    }
  }
}

const pageOf = (seq: number): number => Math.floor(seq / PAGE);

const toWrite = (event: TeamEvent): Write => ({
  kind: "put",
  collection: EVENTS,
  key: String(event.seq),
  value: event as unknown as JsonObject,
  fields: { page: String(pageOf(event.seq)) },
});
