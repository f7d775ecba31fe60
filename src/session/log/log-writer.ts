import { fdatasync, fdatasyncSync, readSync, writeSync } from "node:fs";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { writeAll } from "./durable-file.ts";
import type { LogBatch, LogListener } from "./log-batch.ts";
import { logClosed, writeFailed } from "./log-errors.ts";

/** How long to wait before a disk that refused is tried again. */
const RETRY_MS = 1000;

export interface OpenSegment {
  readonly fd: number;
  readonly path: string;
  readonly size: number;
}

export interface WriterHooks {
  /** Brings payloads to disk that the lines refer to. May throw, as writing may. */
  beforeWrite(): void;
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
 * Lines on their way to the disk and then to the listeners, in this order, always. At most one write per turn of
 * the event loop; one sync at a time, which serves all who wait for it. What the disk refuses stays here.
 */
export class LogWriter {
  #segment: OpenSegment;
  readonly #hooks: WriterHooks;
  readonly #listeners = new Set<LogListener>();
  /** Appended, not given to the disk. */
  #lines: Uint8Array[] = [];
  #linesBytes = 0;
  #linesMustSync = false;
  #appendedSeq: number;
  /** The rest of a write that the disk has taken in part or refused. */
  #stuck: (Written & { rest: Uint8Array }) | undefined;
  #scheduled: NodeJS.Immediate | undefined;
  #retry: NodeJS.Timeout | undefined;
  /** End of what was written. */
  #size: number;
  #writtenSeq: number;
  #syncedSeq: number;
  #syncedSize: number;
  #syncing = false;
  /** A sync has failed: the system may have forgotten that what was written is not on disk. */
  #unsure = false;
  #failure: ClaudeCodeError | undefined;
  /** The segment is closed: its descriptor may by now be that of another file. */
  #stopped = false;
  #untold: Written[] = [];
  #telling = false;
  #toldSeq: number;
  #toldSize: number;
  #waiters: Waiter[] = [];

  constructor(segment: OpenSegment, lastSeq: number, hooks: WriterHooks) {
    this.#segment = segment;
    this.#hooks = hooks;
    this.#size = segment.size;
    this.#toldSize = segment.size;
    this.#syncedSize = segment.size;
    this.#appendedSeq = lastSeq;
    this.#writtenSeq = lastSeq;
    this.#syncedSeq = lastSeq;
    this.#toldSeq = lastSeq;
  }

  get toldSeq(): number {
    return this.#toldSeq;
  }

  /** How much of the segment listeners know; readers go no further. */
  get toldSize(): number {
    return this.#toldSize;
  }

  get size(): number {
    return this.#size;
  }

  /** Bytes that only memory holds. */
  get heldBytes(): number {
    return this.#linesBytes + (this.#stuck?.rest.length ?? 0);
  }

  /** Everything appended was written and told, and no sync is under way: the segment may be exchanged. */
  get isQuiet(): boolean {
    return !this.#syncing && !this.#telling && this.#toldSeq === this.#appendedSeq;
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

  /** Gives what is waiting to the disk. A refusal is kept for `durable` and told to the hook. */
  flush(): void {
    if (this.#stopped) return;
    this.#unschedule();
    try {
      if (this.#unsure) this.#rewrite();
      while (this.#stuck || this.#lines.length > 0) {
        this.#hooks.beforeWrite();
        this.#write((this.#stuck ??= this.#takeLines()));
        this.#stuck = undefined;
      }
    } catch (cause) {
      this.#fail(cause);
      return;
    }
    this.#failure = undefined;
    if (this.#untold.some(({ mustSync }) => mustSync)) this.#sync();
    this.#tell();
    this.#hooks.onProgress();
  }

  async durable(): Promise<void> {
    const seq = this.#appendedSeq;
    if (this.#syncedSeq >= seq) return;
    this.flush();
    if (this.#failure) throw this.#failure;
    await new Promise<void>((resolve, reject) => {
      this.#waiters.push({ seq, resolve, reject });
      this.#sync();
    });
  }

  /** Syncs at once, without leaving the turn of the event loop. To be called when quiet. */
  syncNow(): void {
    // Until it has succeeded: one that fails throws.
    this.#unsure = true;
    fdatasyncSync(this.#segment.fd);
    this.#unsure = false;
    this.#settle(this.#writtenSeq, this.#size);
  }

  /** Goes on in another segment, which holds `batch` and is safe on disk. To be called when quiet, after `syncNow`. */
  exchange(segment: OpenSegment, batch: LogBatch): void {
    this.#segment = segment;
    this.#size = segment.size;
    this.#appendedSeq = batch.lastSeq;
    this.#writtenSeq = batch.lastSeq;
    this.#syncedSeq = batch.lastSeq;
    this.#syncedSize = segment.size;
    this.#untold.push({ batch, end: segment.size, mustSync: false });
    this.#tell();
  }

  /** What was not written by now never will be. To be called before the segment is closed. */
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
    this.#untold.push({ batch, end, mustSync });
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
        if (this.#waiters.length > 0 || this.#untold.length > 0) this.#sync();
        this.#hooks.onProgress();
      }
    });
  }

  /** What no sync has confirmed is written once more, so that the next sync speaks of it. */
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
    this.#tell();
    for (const { resolve } of served) resolve();
  }

  /** In order: what is safe or need not be, up to the first that has to wait. */
  #tell(): void {
    if (this.#telling) return;
    this.#telling = true;
    try {
      for (let next = this.#untold[0]; next; next = this.#untold[0]) {
        const { batch, end, mustSync } = next;
        if (mustSync && batch.lastSeq > this.#syncedSeq) break;
        this.#untold.shift();
        this.#toldSeq = batch.lastSeq;
        this.#toldSize = end;
        for (const listener of this.#listeners) this.#tellOne(listener, batch);
      }
    } finally {
      this.#telling = false;
    }
  }

  /** What one listener does wrong is nothing to the others, nor to whoever waits for the disk. */
  #tellOne(listener: LogListener, batch: LogBatch): void {
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
