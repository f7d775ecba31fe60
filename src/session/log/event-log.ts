import { ClaudeCodeError } from "../../wire/errors.ts";
import type { SessionEvent } from "../../wire/session-events.ts";
import type { SessionState } from "../state/session-state.ts";
import { DiskLog } from "./disk-log.ts";
import type { EventDraft, LogBatch, LogListener } from "./log-batch.ts";
import { writeFailed } from "./log-errors.ts";

/** Everything that happened in a session, on disk, in one sequence. One process writes it. */
export interface EventLog {
  readonly logId: string;
  /** Raised at each open. */
  readonly epoch: number;
  /** The newest event, 0 for none. */
  readonly lastSeq: number;
  /** The oldest event of the current segment. What is older comes by `history` only. */
  readonly firstSeq: number;
  /** The newest event that listeners have been told. */
  readonly toldSeq: number;
  /** The fold, always up to date with `lastSeq`. */
  readonly state: SessionState;
  /**
   * Gives the event its place, applies it to `state` at once, and queues its bytes: written once per
   * turn of the event loop, and only then told to listeners. Large payloads in it are moved to blobs.
   * Gives back the event as logged.
   *
   * @throws `log_write_failed` when the disk has refused for so long that memory is full,
   * `not_serialisable` and `message_too_large`; then the event is not in the log.
   */
  append(draft: EventDraft): SessionEvent;
  /** Everything appended so far is safe on disk. Concurrent callers share a sync. @throws `log_write_failed` */
  durable(): Promise<void>;
  /** Hears of batches in order after they were written; of those with a message, a decision or a done, after they are safe. */
  subscribe(listener: LogListener): () => void;
  /** Can `readAfter` go on from here, for a client that got its events in that epoch? */
  holds(since: number, epoch?: number): boolean;
  /** Everything after `since` up to `toldSeq`, read from disk in batches of bounded size. @throws `since_not_in_log`, `log_damaged` */
  readAfter(since: number): AsyncIterable<LogBatch>;
  /** The current segment from its start, where its snapshot stands, for a client that is too far behind. */
  readFromSnapshot(): AsyncIterable<LogBatch>;
  /** A page of older events, oldest first, across segments; without snapshots, which only repeat. */
  history(
    before: number | undefined,
    limit: number,
  ): Promise<{ events: SessionEvent[]; more: boolean }>;
  /** A stored payload or a part of it. @throws `blob_not_found` */
  readBlob(
    blob: string,
    offset: number,
    limit?: number,
  ): Promise<{ bytes: number; offset: number; data: Uint8Array }>;
  /**
   * A logged event with all that can be moved out of it stored beside the log, for an answer that would be
   * too large with it. @throws `log_write_failed`
   */
  lighten<Event extends SessionEvent>(event: Event): Event;
  /** Writes and syncs what is left. @throws `log_write_failed` when that cannot be done. */
  close(): Promise<void>;
}

export interface LogOptions {
  /** The id of a log that begins here; one that goes on has its own. */
  logId?: string;
  /** A segment that has grown over this is followed by a new one. */
  maxSegmentBytes?: number;
  clock?: () => Date;
  /** The disk has refused. What was appended is kept in memory and written when it can be. */
  onWriteError?: (error: ClaudeCodeError) => void;
  /** A listener has thrown, which is a defect. Without this it is an uncaught exception. */
  onListenerError?: (error: unknown) => void;
}

/**
 * Opens the log in a directory, or begins one there. A last line that a crash has torn is cut off, with
 * a `notice`. @throws `log_damaged` when anything else is wrong, with file and offset; `log_write_failed`.
 */
export function openLog(directory: string, options: LogOptions = {}): EventLog {
  try {
    return new DiskLog(directory, options);
  } catch (error) {
    throw error instanceof ClaudeCodeError ? error : writeFailed(directory, error);
  }
}
