import { fdatasync, fdatasyncSync, readSync, writeSync } from "node:fs";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { writeAll } from "../../files/replace-file.ts";
import type { LogBatch, LogListener } from "./event-draft.ts";
import { logClosed, writeFailed } from "./log-errors.ts";

/** How long to wait before another try after the disk refused. */
const RETRY_MS = 1000;

export interface OpenSegment {
  readonly fd: number;
  readonly path: string;
  readonly size: number;
}

export interface WriterHooks {
  /**
   * Writes the blobs that the lines refer to. May throw, as writing may. `mustLast`: a sync follows, so the file must be
   * one that stays; to look at that before every delta would cost more than the delta.
   */
  beforeWrite(mustLast: boolean): void;
  /** Something was written, or a sync has ended. */
  onProgress(): void;
  onError(error: ClaudeCodeError): void;
  onListenerError(error: unknown): void;
}

interface Written {
  readonly batch: LogBatch;
  readonly end: number;
  readonly mustSync: boolean;
}

interface Waiter {
  readonly seq: number;
  readonly resolve: () => void;
  readonly reject: (error: ClaudeCodeError) => void;
}

/**
 * Writes lines to the disk and then publishes them to the listeners, always in this order. At most one write per turn
 * of the event loop; one sync at a time, shared by all callers. Memory keeps what the disk refuses.
 */
export class LogWriter {
  #segment: OpenSegment;
  readonly #hooks: WriterHooks;
  readonly #listeners = new Set<LogListener>();
  /** Appended, not written yet. */
  #lines: Uint8Array[] = [];
  #linesBytes = 0;
  #linesMustSync = false;
  #appendedSeq: number;
  /** The rest of a write that the disk took in part or refused. */
  #stuck: (Written & { rest: Uint8Array }) | undefined;
  #scheduled: NodeJS.Immediate | undefined;
  #retry: NodeJS.Timeout | undefined;
  /** The end of what was written. */
  #size: number;
  #writtenSeq: number;
  #syncedSeq: number;
  #syncedSize: number;
  #syncing = false;
  /** A sync has failed: the system may have forgotten that the written bytes are not on disk. */
  #unsure = false;
  #failure: ClaudeCodeError | undefined;
  /** The segment is closed: its descriptor may belong to another file by now. */
  #stopped = false;
  #unpublished: Written[] = [];
  #publishing = false;
  #publishedSeq: number;
  #publishedSize: number;
  #waiters: Waiter[] = [];

  constructor(segment: OpenSegment, lastSeq: number, hooks: WriterHooks) {
    this.#segment = segment;
    this.#hooks = hooks;
    this.#size = segment.size;
    this.#publishedSize = segment.size;
    this.#syncedSize = segment.size;
    this.#appendedSeq = lastSeq;
    this.#writtenSeq = lastSeq;
    this.#syncedSeq = lastSeq;
    this.#publishedSeq = lastSeq;
  }

  get publishedSeq(): number {
    return this.#publishedSeq;
  }

  /** The part of the segment that was published; readers go no further. */
  get publishedSize(): number {
    return this.#publishedSize;
  }

  get size(): number {
    return this.#size;
  }

  /** Bytes that only memory holds. */
  get heldBytes(): number {
    return this.#linesBytes + (this.#stuck?.rest.length ?? 0);
  }

  /** Everything appended was written and published, and no sync is running: the segment may be exchanged. */
  get isQuiet(): boolean {
    return !this.#syncing && !this.#publishing && this.#publishedSeq === this.#appendedSeq;
  }

  add(seq: number, line: Uint8Array, mustSync: boolean): void {
    this.#lines.push(line);
    this.#linesBytes += line.length;
    this.#linesMustSync ||= mustSync;
    this.#appendedSeq = seq;
    if (!this.#failure) this.#scheduled ??= setImmediate(() => this.flush());
  }

  subscribe(listener: LogListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Writes what waits. Keeps a failure for `durable` and reports it to the hook. */
  flush(mustLast = false): void {
    if (this.#stopped) return;
    this.#unschedule();
    try {
      if (this.#unsure) this.#rewrite();
      while (this.#stuck || this.#lines.length > 0) {
        const mustSync = this.#linesMustSync || this.#stuck?.mustSync === true;
        this.#hooks.beforeWrite(mustLast || mustSync);
        this.#write((this.#stuck ??= this.#takeLines()));
        this.#stuck = undefined;
      }
    } catch (cause) {
      this.#fail(cause);
      return;
    }
    this.#failure = undefined;
    if (this.#unpublished.some(({ mustSync }) => mustSync)) this.#sync();
    this.#publish();
    this.#hooks.onProgress();
  }

  async durable(): Promise<void> {
    const seq = this.#appendedSeq;
    if (this.#syncedSeq >= seq) return;
    this.flush(true);
    if (this.#failure) throw this.#failure;
    await new Promise<void>((resolve, reject) => {
      this.#waiters.push({ seq, resolve, reject });
      this.#sync();
    });
  }

  /** Syncs synchronously. Call this when quiet. */
  syncNow(): void {
    // Reset after success: a failing sync throws.
    this.#unsure = true;
    fdatasyncSync(this.#segment.fd);
    this.#unsure = false;
    this.#settle(this.#writtenSeq, this.#size);
  }

  /** Continues in another segment, which holds `batch` and is safe on disk. Call this when quiet, after `syncNow`. */
  exchange(segment: OpenSegment, batch: LogBatch): void {
    this.#segment = segment;
    this.#size = segment.size;
    this.#appendedSeq = batch.lastSeq;
    this.#writtenSeq = batch.lastSeq;
    this.#syncedSeq = batch.lastSeq;
    this.#syncedSize = segment.size;
    this.#unpublished.push({ batch, end: segment.size, mustSync: false });
    this.#publish();
  }

  /** Continues in another file, which holds everything written and is safe on disk. */
  moveTo(fd: number): void {
    this.#segment = { ...this.#segment, fd };
  }

  /** Nothing is written after this. Call it before the segment is closed. */
  stop(): void {
    this.#unschedule();
    this.#listeners.clear();
    this.#stopped = true;
    this.#failure = logClosed();
    this.#rejectWaiters(this.#failure);
  }

  #unschedule(): void {
    clearImmediate(this.#scheduled);
    clearTimeout(this.#retry);
    this.#scheduled = undefined;
    this.#retry = undefined;
  }

  #takeLines(): Written & { rest: Uint8Array } {
    const [only] = this.#lines;
    const bytes = this.#lines.length === 1 && only ? only : Buffer.concat(this.#lines);
    const lastSeq = this.#appendedSeq;
    const firstSeq = lastSeq - this.#lines.length + 1;
    const mustSync = this.#linesMustSync;
    this.#lines = [];
    this.#linesBytes = 0;
    this.#linesMustSync = false;
    const end = this.#size + bytes.length;
    return { batch: { firstSeq, lastSeq, bytes }, end, mustSync, rest: bytes };
  }

  #write(written: Written & { rest: Uint8Array }): void {
    while (written.rest.length > 0) {
      const { rest } = written;
      const count = writeSync(this.#segment.fd, rest, 0, rest.length, this.#size);
      this.#size += count;
      written.rest = rest.subarray(count);
    }
    this.#writtenSeq = written.batch.lastSeq;
    const { batch, end, mustSync } = written;
    this.#unpublished.push({ batch, end, mustSync });
  }

  #sync(): void {
    if (this.#syncing) return;
    this.#syncing = true;
    const [seq, size] = [this.#writtenSeq, this.#size];
    fdatasync(this.#segment.fd, (error) => {
      if (this.#stopped) return;
      this.#syncing = false;
      this.#unsure = error !== null;
      if (error) this.#fail(error);
      else {
        this.#settle(seq, size);
        if (this.#waiters.length > 0 || this.#unpublished.length > 0) this.#sync();
        this.#hooks.onProgress();
      }
    });
  }

  /** Writes unconfirmed bytes once more, so that the next sync covers them. */
  #rewrite(): void {
    const unconfirmed = Buffer.alloc(this.#size - this.#syncedSize);
    const count = readSync(this.#segment.fd, unconfirmed, 0, unconfirmed.length, this.#syncedSize);
    writeAll(this.#segment.fd, unconfirmed.subarray(0, count), this.#syncedSize);
    this.#unsure = false;
  }

  #settle(seq: number, size: number): void {
    this.#syncedSeq = seq;
    this.#syncedSize = size;
    const served = this.#waiters.filter((waiter) => waiter.seq <= seq);
    this.#waiters = this.#waiters.filter((waiter) => waiter.seq > seq);
    this.#publish();
    for (const { resolve } of served) resolve();
  }

  /** Publishes in order, up to the first batch that still has to be synced. */
  #publish(): void {
    if (this.#publishing) return;
    this.#publishing = true;
    try {
      for (let next = this.#unpublished[0]; next; next = this.#unpublished[0]) {
        const { batch, end, mustSync } = next;
        if (mustSync && batch.lastSeq > this.#syncedSeq) break;
        this.#unpublished.shift();
        this.#publishedSeq = batch.lastSeq;
        this.#publishedSize = end;
        for (const listener of this.#listeners) this.#notify(listener, batch);
      }
    } finally {
      this.#publishing = false;
    }
  }

  /** A listener's error must not affect other listeners or callers that wait for the disk. */
  #notify(listener: LogListener, batch: LogBatch): void {
    try {
      listener(batch);
    } catch (error) {
      this.#hooks.onListenerError(error);
    }
  }

  #fail(cause: unknown): void {
    const isNew = this.#failure === undefined;
    const failure = writeFailed(this.#segment.path, cause);
    this.#failure = failure;
    this.#rejectWaiters(failure);
    this.#retry ??= setTimeout(() => this.flush(), RETRY_MS).unref();
    if (isNew) this.#hooks.onError(failure);
  }

  #rejectWaiters(failure: ClaudeCodeError): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const { reject } of waiters) reject(failure);
  }
}
