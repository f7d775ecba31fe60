import { randomUUID } from "node:crypto";
import { pagesOf } from "../../bus/read-all-pages.ts";
import type { Records, StoredRecord, Write } from "../../bus/records.ts";
import { ClaudeCodeError } from "../../wire/errors.ts";
import type { JsonObject } from "../../wire/json.ts";
import type { TeamEvent, TeamEventOf } from "../../wire/team/events.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import { asStored } from "./cut-long-texts.ts";

type Draft = TeamEvent extends infer Event
  ? Event extends TeamEvent
    ? Omit<Event, "seq" | "at">
    : never
  : never;
export type TeamEventDraft = Draft;

const EVENTS = "timeline";
const ABOUT = "timeline-about";
/** By agent: the newest event that tells what its session told. */
const HEARD = "timeline-heard";
/** Events are found page by page, because records have no ranges. */
const PAGE = 100;
const RECENT = 500;

/** After this time events that the disk did not take are written again. */
const RETRY_MS = 500;

interface Heard {
  readonly seq: number;
  readonly session_seq: number;
}

interface Entry {
  readonly event?: TeamEvent;
  readonly writes: readonly Write[];
}

/**
 * Everything that happens in a team, as numbered events. An event is on the disk before any client gets it, so a client's
 * position in the timeline stays valid for ever. An event that the disk does not take waits, and so do those after it.
 */
export class Timeline {
  readonly logId: string;
  /** When the last event before this opening happened; undefined when there was none. */
  readonly openedAfter: string | undefined;
  readonly #records: Records;
  readonly #listeners = new Set<(events: readonly TeamEvent[]) => void>();
  #queued: Entry[] = [];
  /** The newest events, so that clients that keep up are served without reading the disk. */
  #recent: TeamEvent[] = [];
  #writing: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #failing = false;
  #failed: ((error: unknown) => void) | undefined;
  #lastSeq: number;
  /** The newest event that listeners were told. */
  #toldSeq: number;

  private constructor(
    records: Records,
    logId: string,
    last: Pick<TeamEvent, "seq" | "at"> | undefined,
  ) {
    this.#records = records;
    this.logId = logId;
    this.openedAfter = last?.at;
    this.#lastSeq = last?.seq ?? 0;
    this.#toldSeq = this.#lastSeq;
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
    return new Timeline(records, logId, newest.items[0]?.value as TeamEvent | undefined);
  }

  get lastSeq(): number {
    return this.#toldSeq;
  }

  /** Whether nothing has happened yet: no process of this team ran before this one. */
  get isNew(): boolean {
    return this.#lastSeq === 0;
  }

  /**
   * What is appended in the same instant is written in one step, together with the given writes: a crash leaves all of it
   * or nothing.
   */
  append(draft: TeamEventDraft, writes: readonly Write[] = []): void {
    this.#lastSeq += 1;
    const told = { ...draft, seq: this.#lastSeq, at: new Date().toISOString() };
    const { event, writes: beside } = asStored(told);
    this.#queued.push({ event, writes: [...beside, ...writes] });
    this.#begin();
  }

  /** Writes this after everything that was appended before is on the disk. */
  thenWrite(writes: readonly Write[]): void {
    this.#queued.push({ writes });
    this.#begin();
  }

  /** Resolves when all that was appended has been written and told, or when the disk has not taken it. */
  async flushed(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  subscribe(listener: (events: readonly TeamEvent[]) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Called once when the disk no longer takes events, until it takes them again. */
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
      const stored = await this.#readPage(page);
      const events = stored.filter(({ seq }) => seq > since && seq <= upto);
      if (events.length > 0) yield events;
    }
  }

  /** The events before `upto` that have been published by now, newest first. */
  async *before(upto: number): AsyncGenerator<TeamEvent[]> {
    let end = Math.min(upto, this.#toldSeq + 1);
    const [oldest] = this.#recent;
    if (oldest && end > oldest.seq) {
      yield this.#recent.filter(({ seq }) => seq < end).toReversed();
      end = oldest.seq;
    }
    for (; end > 1; end = Math.max(1, pageOf(end - 1) * PAGE)) {
      const events = await this.#readPage(pageOf(end - 1));
      yield events.filter(({ seq }) => seq < end).toReversed();
    }
  }

  /** The event with this number, if it has been told. */
  async at(seq: number): Promise<TeamEvent | undefined> {
    const row = seq > this.#toldSeq ? undefined : await this.#records.get(EVENTS, String(seq));
    return row && toEvent(row);
  }

  /** The newest event of a type that was on the disk at the opening. */
  async newest<Type extends TeamEvent["type"]>(type: Type): Promise<TeamEventOf<Type> | undefined> {
    const pages = pagesOf((from) =>
      this.#records.query({ collection: EVENTS, order: "newest", limit: PAGE, ...from }),
    );
    for await (const rows of pages) {
      const found = rows.map(toEvent).find((event) => event.type === type);
      if (found) return found as TeamEventOf<Type>;
    }
    return undefined;
  }

  /** The lead's answer to a message of the user that was sent at this time. */
  async answerTo(id: string, sentAtMs: number): Promise<TeamEventOf<"answered"> | undefined> {
    const pages = pagesOf((from) =>
      this.#records.query({
        collection: EVENTS,
        since: sentAtMs,
        order: "oldest",
        limit: PAGE,
        ...from,
      }),
    );
    for await (const rows of pages) {
      for (const event of rows.map(toEvent)) {
        if (event.type === "answered" && event.id === id) return event;
      }
    }
    return undefined;
  }

  /** By agent: the newest event that tells what its session told, and where that stands in the session's log. */
  async newestHeard(): Promise<Map<AgentId, Heard>> {
    const newest = new Map<AgentId, Heard>();
    for await (const rows of pagesOf((from) =>
      this.#records.query({ collection: HEARD, ...from }),
    )) {
      for (const { key, value } of rows) newest.set(key, value as unknown as Heard);
    }
    return newest;
  }

  async #readPage(page: number): Promise<TeamEvent[]> {
    const where = { page: String(page) };
    const query = { collection: EVENTS, where, order: "oldest", limit: PAGE } as const;
    return (await this.#records.query(query)).items.map(toEvent);
  }

  #begin(): void {
    this.#writing ??= this.#write();
  }

  async #write(): Promise<void> {
    // Whatever happens in the same instant is written at once.
    await Promise.resolve();
    try {
      while (this.#queued.length > 0) {
        const entries = this.#queued;
        this.#queued = [];
        if (!(await this.#keep(entries))) return;
        this.#tell(entries.flatMap(({ event }) => event ?? []));
      }
    } finally {
      // In the same instant in which the queue was found empty, so that the next event starts another write.
      this.#writing = undefined;
    }
  }

  /** False when the disk did not take them: they wait, before those that came meanwhile. */
  async #keep(entries: readonly Entry[]): Promise<boolean> {
    const events = entries.flatMap(({ event }) => event ?? []);
    const writes = [
      ...events.map(toWrite),
      ...heardWrites(events),
      ...entries.flatMap(({ writes: more }) => more),
    ];
    try {
      await this.#records.write(writes);
      this.#failing = false;
      return true;
    } catch (error) {
      // No client is left for what is appended after the end of the team.
      if (codeOf(error) === "bus_closed") return false;
      this.#queued = [...entries, ...this.#queued];
      if (!this.#failing) this.#failed?.(error);
      this.#failing = true;
      clearTimeout(this.#retry);
      this.#retry = setTimeout(() => this.#begin(), RETRY_MS).unref();
      return false;
    }
  }

  #tell(events: readonly TeamEvent[]): void {
    if (events.length === 0) return;
    this.#toldSeq = events.at(-1)?.seq ?? this.#toldSeq;
    this.#recent = [...this.#recent, ...events].slice(-RECENT);
    for (const listener of this.#listeners) listener(events);
  }
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof ClaudeCodeError ? error.code : undefined;

const pageOf = (seq: number): number => Math.floor(seq / PAGE);

const toEvent = ({ value }: Pick<StoredRecord, "value">): TeamEvent =>
  value as unknown as TeamEvent;

const toWrite = (event: TeamEvent): Write => ({
  kind: "put",
  collection: EVENTS,
  key: String(event.seq),
  value: event as unknown as JsonObject,
  fields: { page: String(pageOf(event.seq)) },
});

function heardWrites(events: readonly TeamEvent[]): Write[] {
  const newest = new Map<AgentId, Write>();
  for (const event of events) {
    if (!("session_seq" in event) || event.session_seq === undefined) continue;
    const { agent, seq, session_seq } = event;
    if (agent === undefined) continue;
    const value = { seq, session_seq };
    newest.set(agent, { kind: "put", collection: HEARD, key: agent, value });
  }
  return [...newest.values()];
}
