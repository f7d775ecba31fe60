import { closeSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { errorOf } from "../../wire/errors.ts";
import type { SessionEvent } from "../../wire/session/events.ts";
import { applyEvent } from "../../session-state/apply-event.ts";
import type { SessionState } from "../../session-state/session-state.ts";
import { snapshotOf } from "./compose-snapshot.ts";
import type { BlobPart } from "./blob-store.ts";
import { blobOf, BlobStore } from "./blob-store.ts";
import { cutTornLine } from "./cut-torn-line.ts";
import { isDurableKind } from "./durable-kinds.ts";
import { makePrivateDirectory } from "./make-private-directory.ts";
import type { EventLog, LogOptions } from "./event-log.ts";
import type { Identity } from "./log-id-and-epochs.ts";
import { newIdentity, raiseEpoch, readIdentity, sameEvents } from "./log-id-and-epochs.ts";
import { loadLog } from "./load-log.ts";
import type { EventDraft, LogBatch, LogListener } from "./event-draft.ts";
import { logClosed, writeFailed } from "./log-errors.ts";
import { LogWriter } from "./log-writer.ts";
import { movePayloads } from "./move-payloads-to-blobs.ts";
import type { NextSegment } from "./rotate-log.ts";
import { rotateLog } from "./rotate-log.ts";
import type { EventPage, PageOptions } from "./read-history-page.ts";
import { readHistoryPage } from "./read-history-page.ts";
import { lightest, numberEvent } from "./number-event.ts";
import { isRemoved, rewriteRemovedSegment } from "./rewrite-removed-segment.ts";
import { readSegment } from "./read-segment.ts";
import { recentEvents } from "./read-recent-events.ts";
import { lineChecksum, saveState } from "./saved-state.ts";
import type { FoundPage } from "./search-log.ts";
import { searchLog } from "./search-log.ts";
import type { SegmentRange } from "./seek-line.ts";
import { checkpointPath, currentPath, olderPath, olderSegments } from "./segment-files.ts";

const MAX_SEGMENT_BYTES = 67_108_864;
/** How much of a conversation a snapshot repeats at most; less if segments are small. */
const MAX_SNAPSHOT_BYTES = 1_048_576;
/** How much memory holds of what the disk refuses. */
const MAX_HELD_BYTES = 134_217_728;
/** How much of the log an opening reads at most. */
const CHECKPOINT_BYTES = 4_194_304;

/** The log of `openLog`: see `EventLog` for what its members promise. */
export class DiskLog implements EventLog {
  readonly state: SessionState;
  readonly #directory: string;
  readonly #identity: Identity;
  readonly #maxSegmentBytes: number;
  readonly #writer: LogWriter;
  readonly #blobs: BlobStore;
  readonly #onWriteError: ((error: ClaudeCodeError) => void) | undefined;
  #fd: number;
  #firstSeq: number;
  #lastSeq: number;
  #lastLineBytes: number;
  /** A segment larger than this is followed by another. */
  #rotateBytes: number;
  /** The segment's size when the state was last saved. */
  #savedBytes: number;
  /** First events of the older segments, oldest first. */
  #older: number[];
  /** Messages that were accepted in this segment. */
  #segmentIds: string[];
  /** Descriptors of removed files. They are closed at the end: a sync may still use one. */
  readonly #removed: number[] = [];
  #closed = false;

  constructor(directory: string, options: LogOptions) {
    this.#directory = directory;
    this.#onWriteError = options.onWriteError;
    this.#maxSegmentBytes = options.maxSegmentBytes ?? MAX_SEGMENT_BYTES;
    this.#rotateBytes = this.#maxSegmentBytes;
    makePrivateDirectory(directory);
    const known = readIdentity(directory);
    const identity = known ?? newIdentity(options.logId);
    let loaded = loadLog(directory, identity.log_id, !known);
    this.#fd = loaded.fd;
    try {
      this.#identity = raiseEpoch(directory, identity, loaded.lastSeq + 1);
      loaded = cutTornLine(loaded);
    } catch (error) {
      closeSync(loaded.fd);
      throw error;
    }
    this.state = loaded.state;
    this.#firstSeq = loaded.firstSeq;
    this.#lastSeq = loaded.lastSeq;
    this.#lastLineBytes = loaded.lastLineBytes;
    this.#segmentIds = loaded.segmentIds;
    this.#savedBytes = loaded.size - loaded.readBytes;
    this.#older = olderSegments(directory);
    this.#blobs = new BlobStore(join(directory, "blobs"));
    const segment = { fd: loaded.fd, path: currentPath(directory), size: loaded.size };
    this.#writer = new LogWriter(segment, loaded.lastSeq, {
      beforeWrite: (mustLast) => {
        if (mustLast) this.#keepFile();
        this.#blobs.write();
      },
      onProgress: () => this.#tidy(),
      onError: (error) => {
        this.#noteFailure(error);
        this.#onWriteError?.(error);
      },
      onListenerError: options.onListenerError ?? throwOutside,
    });
  }

  get logId(): string {
    return this.#identity.log_id;
  }

  get epoch(): number {
    return this.#identity.epochs.length;
  }

  get firstSeq(): number {
    return this.#firstSeq;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  get publishedSeq(): number {
    return this.#writer.publishedSeq;
  }

  append(draft: EventDraft): SessionEvent {
    if (this.#closed) throw logClosed();
    this.#makeRoom();
    const { event, line, blobs } = numberEvent(draft, this.#lastSeq + 1);
    for (const [blob, bytes] of blobs) this.#blobs.put(blob, bytes);
    this.#lastSeq = event.seq;
    this.#lastLineBytes = line.length;
    if (event.type === "user_message") this.#segmentIds.push(event.id);
    applyEvent(this.state, event);
    this.#writer.add(event.seq, line, isDurableKind(event.type));
    return event;
  }

  durable(): Promise<void> {
    return this.#writer.durable();
  }

  subscribe(listener: LogListener): () => void {
    return this.#writer.subscribe(listener);
  }

  holds(since: number, epoch = this.epoch): boolean {
    // Events that are being synced count: `init` has named their number.
    if (since < this.firstSeq - 1 || since > this.lastSeq) return false;
    return sameEvents(this.#identity, since, epoch);
  }

  readAfter(since: number): AsyncIterable<LogBatch> {
    if (!this.holds(since)) {
      throw errorOf("since_not_in_log", `The log has events ${this.firstSeq} to ${this.lastSeq}.`, {
        data: { since, first_seq: this.firstSeq, last_seq: this.lastSeq },
      });
    }
    return this.#readOn(since);
  }

  readFromSnapshot(): AsyncIterable<LogBatch> {
    return this.#readOn(this.firstSeq - 1);
  }

  history(before: number | undefined, limit: number, options?: PageOptions): Promise<EventPage> {
    const end = this.publishedSeq + 1;
    return readHistoryPage(this.#segments(), Math.min(before ?? end, end), limit, options);
  }

  search(text: string, before: number | undefined, limit: number): Promise<FoundPage> {
    const newest = this.publishedSeq + 1;
    const readBlob = this.#blobs.read.bind(this.#blobs);
    const place = { before: Math.min(before ?? newest, newest), newest };
    return searchLog(this.#segments(), { text, limit, readBlob, ...place });
  }

  readBlob(blob: string, offset: number, limit?: number): Promise<BlobPart> {
    return this.#blobs.read(blob, offset, limit);
  }

  lighten<Event extends SessionEvent>(event: Event): Event {
    const light = movePayloads(event, lightest, (payload) => {
      const { ref, content } = blobOf(payload);
      this.#blobs.put(ref.blob, content);
      return ref;
    });
    try {
      this.#blobs.write();
    } catch (error) {
      throw writeFailed(this.#directory, error);
    }
    return light as Event;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    try {
      await this.#writer.durable();
      this.#saveCheckpoint();
    } finally {
      this.#writer.stop();
      for (const fd of [this.#fd, ...this.#removed]) closeSync(fd);
    }
  }

  async *#readOn(since: number): AsyncGenerator<LogBatch> {
    let at = since;
    while (at < this.publishedSeq) {
      for (const segment of this.#segments()) {
        if (segment.firstSeq > at + 1) continue;
        for await (const batch of readSegment(segment, at + 1)) {
          yield batch;
          at = batch.lastSeq;
        }
        break;
      }
    }
  }

  /** The segments with the part that readers may see, newest first. */
  *#segments(): Generator<SegmentRange> {
    const { firstSeq } = this;
    yield { path: currentPath(this.#directory), firstSeq, end: this.#writer.publishedSize };
    for (const first of this.#older.toReversed()) {
      const path = olderPath(this.#directory, first);
      yield { path, firstSeq: first, end: statSync(path).size };
    }
  }

  #makeRoom(): void {
    const isFull = (): boolean => this.#writer.heldBytes + this.#blobs.heldBytes > MAX_HELD_BYTES;
    if (isFull()) this.#writer.flush();
    if (isFull()) {
      throw errorOf(
        "log_write_failed",
        "The disk refuses writes, and the memory for waiting events is full.",
      );
    }
  }

  #tidy(): void {
    if (this.#closed || !this.#writer.isQuiet) return;
    if (this.#writer.size > this.#rotateBytes) this.#rotate();
    else if (this.#writer.size - this.#savedBytes > CHECKPOINT_BYTES) this.#saveCheckpoint();
  }

  /** Speeds up the next opening. If it cannot be written, the next opening reads more. */
  #saveCheckpoint(): void {
    const end = this.#writer.size;
    this.#savedBytes = end;
    if (this.#lastLineBytes === 0) return;
    const start = end - this.#lastLineBytes;
    try {
      const line = { start, end, crc: lineChecksum(this.#fd, start, end) };
      const place = { log_id: this.logId, segment: this.#firstSeq, seq: this.#lastSeq, line };
      const path = checkpointPath(this.#directory);
      saveState(path, place, this.state, this.#segmentIds, { durable: false });
    } catch {
      // For example, the disk is full; the next append reports it.
    }
  }

  /**
   * When rotation fails, the current segment continues, and rotation is tried again when it has grown by a quarter.
   */
  #rotate(): void {
    this.#rotateBytes = this.#writer.size + this.#maxSegmentBytes / 4;
    const path = currentPath(this.#directory);
    let next: NextSegment;
    try {
      this.#writer.syncNow();
      // A listener that was just called may have appended something: rotate after that.
      if (!this.#writer.isQuiet) return;
      next = this.#rotateLog(path);
    } catch (error) {
      this.#onWriteError?.(writeFailed(path, error));
      return;
    }
    closeSync(this.#fd);
    this.#fd = next.fd;
    this.#older.push(this.#firstSeq);
    this.#firstSeq = next.batch.firstSeq;
    this.#lastSeq = next.batch.lastSeq;
    this.#lastLineBytes = next.lastLineBytes;
    this.#segmentIds = [];
    this.#savedBytes = 0;
    const size = next.batch.bytes.length;
    // A snapshot that is large by itself must not cause the next rotation.
    this.#rotateBytes = Math.max(this.#maxSegmentBytes, 2 * size);
    this.#writer.exchange({ fd: next.fd, path, size }, next.batch);
  }

  #rotateLog(path: string): NextSegment {
    const recent = recentEvents(this.#fd, path, this.#writer.size, this.#firstSeq);
    const maxBytes = Math.min(MAX_SNAPSHOT_BYTES, this.#maxSegmentBytes / 4);
    return rotateLog({
      directory: this.#directory,
      logId: this.logId,
      firstSeq: this.#firstSeq,
      upto: this.#lastSeq,
      state: this.state,
      snapshot: snapshotOf(this.state, recent, maxBytes),
    });
  }

  /** Restores the newest file if the log's directory was removed; the older files are lost. */
  #keepFile(): void {
    if (this.#closed || !isRemoved(this.#fd)) return;
    const fd = rewriteRemovedSegment(this.#directory, this.#fd, this.#writer.size, this.#identity);
    this.#removed.push(this.#fd);
    this.#fd = fd;
    this.#older = olderSegments(this.#directory);
    this.#writer.moveTo(fd);
    this.append({
      type: "notice",
      code: "log_repaired",
      message: `${currentPath(this.#directory)} was removed. It was written again; older files of the log and large payloads are gone.`,
    });
  }

  #noteFailure(error: ClaudeCodeError): void {
    if (this.#closed) return;
    const hint = "Free space on the disk. Nothing is lost while the session's process runs.";
    this.append({ type: "notice", code: "log_write_failed", message: error.message, hint });
  }
}

/** No listener for defects is set, so the process gets the error; the log continues. */
function throwOutside(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
