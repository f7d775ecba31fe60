import type { ClaudeCodeError } from "../../wire/errors.ts";
import type { SessionEvent } from "../../wire/session/events.ts";
import type { SessionState } from "../../session-state/session-state.ts";
import type { EventDraft, LogBatch, LogListener } from "./event-draft.ts";
import type { PageOptions } from "./read-history-page.ts";
import type { FoundPage } from "./search-log.ts";

/** Everything that happened in a session, on disk, in one sequence. One process writes it. */
export interface EventLog {
  readonly logId: string;
  /** Incremented at each open. */
  readonly epoch: number;
  /** The newest event, 0 for none. */
  readonly lastSeq: number;
  /** The oldest event of the current segment. Older ones are available through `history` only. */
  readonly firstSeq: number;
  /** The newest event that listeners have received. */
  readonly publishedSeq: number;
  /** The fold of all events up to `lastSeq`. */
  readonly state: SessionState;
  /**
   * Numbers the event, applies it to `state` at once, and queues its bytes: they are written once per turn of the
   * event loop, and then published to listeners. Large payloads are moved to blobs. Returns the event as logged.
   *
   * @throws `log_write_failed` when the disk has refused until memory is full, `not_serialisable` and
   * `message_too_large`; the event is then not in the log.
   */
  append(draft: EventDraft): SessionEvent;
  /**
   * Resolves when everything appended so far is safe on disk. Concurrent callers share a sync. @throws
   * `log_write_failed`
   */
  durable(): Promise<void>;
  /**
   * Listeners get batches in order after they were written; batches with a message, a decision or a `done` only after
   * they are safe on disk. Returns an unsubscribe function.
   */
  subscribe(listener: LogListener): () => void;
  /** Whether `readAfter` can continue from here, for a client that received its events in that epoch. */
  holds(since: number, epoch?: number): boolean;
  /** Everything after `since` up to `publishedSeq`, read from disk in batches of bounded size. @throws `since_not_in_log`, `log_damaged` */
  readAfter(since: number): AsyncIterable<LogBatch>;
  /** The current segment from its start, where its snapshot is, for a client that is too far behind. */
  readFromSnapshot(): AsyncIterable<LogBatch>;
  /** A page of older events, oldest first, across segments; without snapshots, which only repeat events. */
  history(
    before: number | undefined,
    limit: number,
    options?: PageOptions,
  ): Promise<{ events: SessionEvent[]; more: boolean }>;
  /** Where a text begins, newest first, across segments. One call reads a bounded part of the log. */
  search(text: string, before: number | undefined, limit: number): Promise<FoundPage>;
  /** A stored payload or a part of it. @throws `blob_not_found` */
  readBlob(
    blob: string,
    offset: number,
    limit?: number,
  ): Promise<{ bytes: number; offset: number; data: Uint8Array }>;
  /**
   * A logged event with its payloads stored as blobs, for an answer that would otherwise be too large. @throws
   * `log_write_failed`
   */
  lighten<Event extends SessionEvent>(event: Event): Event;
  /** Writes and syncs what is left. @throws `log_write_failed` when that fails. */
  close(): Promise<void>;
}

export interface LogOptions {
  /** The id of a new log; an existing log has its own. */
  logId?: string;
  /** A segment larger than this is followed by a new one. */
  maxSegmentBytes?: number;
  /** The disk has refused a write. Memory keeps the events until they can be written. */
  onWriteError?: (error: ClaudeCodeError) => void;
  /** A listener has thrown, which is a defect. By default it becomes an uncaught exception. */
  onListenerError?: (error: unknown) => void;
}
