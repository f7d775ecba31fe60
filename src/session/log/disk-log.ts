import { closeSync, constants, openSync } from "node:fs";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { errorOf } from "../../wire/errors.ts";
import type { SessionEvent } from "../../wire/session-events.ts";
import { applyEvent } from "../state/apply-event.ts";
import type { SessionState } from "../state/session-state.ts";
import { makeDirectory, syncDirectory } from "./durable-file.ts";
import type { Identity } from "./identity.ts";
import { newIdentity, raiseEpoch, readIdentity, sameEvents } from "./identity.ts";
import { loadLog } from "./load-log.ts";
import type { EventDraft, LogBatch, LogListener } from "./log-batch.ts";
import { LogWriter } from "./log-writer.ts";
import { eventLine, isPromise, placeEvent } from "./place-event.ts";
import { readSegment } from "./read-segment.ts";
import { currentPath } from "./segment-files.ts";

/** What the disk refuses is kept in memory, up to this. */
const MAX_HELD_BYTES = 134_217_728;

interface DiskLogOptions {
  clock?: () => Date;
  onWriteError?: (error: ClaudeCodeError) => void;
}

/** The log of `openLog`: see `EventLog` for what its members promise. */
export class DiskLog {
  readonly state: SessionState;
  readonly #path: string;
  readonly #identity: Identity;
  readonly #clock: () => Date;
  readonly #writer: LogWriter;
  readonly #fd: number;
  readonly #firstSeq: number;
  #lastSeq: number;
  #closed = false;

  constructor(directory: string, options: DiskLogOptions) {
    this.#clock = options.clock ?? (() => new Date());
    makeDirectory(directory);
    this.#path = currentPath(directory);
    const identity = readIdentity(directory) ?? newIdentity();
    this.#fd = openSync(this.#path, constants.O_RDWR | constants.O_CREAT, 0o600);
    const loaded = loadLog(this.#fd, this.#path, this.#clock);
    this.#identity = raiseEpoch(directory, identity, loaded.lastSeq + 1);
    syncDirectory(directory);
    this.state = loaded.state;
    this.#firstSeq = loaded.firstSeq;
    this.#lastSeq = loaded.lastSeq;
    const segment = { fd: this.#fd, path: this.#path, size: loaded.size };
    this.#writer = new LogWriter(segment, loaded.lastSeq, {
      beforeWrite: () => {},
      onProgress: () => {},
      onError: (error) => options.onWriteError?.(error),
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

  get toldSeq(): number {
    return this.#writer.toldSeq;
  }

  append(draft: EventDraft): SessionEvent {
    if (this.#closed) throw errorOf("log_write_failed", "The log is closed.");
    if (this.#writer.heldBytes > MAX_HELD_BYTES) {
      throw errorOf(
        "log_write_failed",
        "The disk refuses, and memory for what it refuses is full.",
      );
    }
    const event = placeEvent(draft, this.#lastSeq + 1, this.#clock);
    const line = eventLine(event);
    this.#lastSeq = event.seq;
    applyEvent(this.state, event);
    this.#writer.add(event.seq, line, isPromise(event.type));
    return event;
  }

  durable(): Promise<void> {
    return this.#writer.durable();
  }

  subscribe(listener: LogListener): () => void {
    return this.#writer.subscribe(listener);
  }

  holds(since: number, epoch = this.epoch): boolean {
    if (since < this.firstSeq - 1 || since > this.toldSeq) return false;
    return sameEvents(this.#identity, since, epoch);
  }

  readAfter(since: number): AsyncIterable<LogBatch> {
    if (!this.holds(since)) {
      throw errorOf("since_not_in_log", `The log has events ${this.firstSeq} to ${this.toldSeq}.`, {
        data: { since, first_seq: this.firstSeq, last_seq: this.toldSeq },
      });
    }
    return this.#readOn(since);
  }

  readFromSnapshot(): AsyncIterable<LogBatch> {
    return this.#readOn(this.firstSeq - 1);
  }

  history(
    _before: number | undefined,
    _limit: number,
  ): Promise<{ events: SessionEvent[]; more: boolean }> {
    return Promise.resolve({ events: [], more: false });
  }

  readBlob(
    blob: string,
    _offset: number,
    _limit?: number,
  ): Promise<{ bytes: number; offset: number; data: Uint8Array }> {
    return Promise.reject(errorOf("blob_not_found", `There is no blob ${blob}.`));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    try {
      await this.#writer.durable();
    } finally {
      this.#writer.stop();
      closeSync(this.#fd);
    }
  }

  async *#readOn(since: number): AsyncGenerator<LogBatch> {
    let at = since;
    while (at < this.toldSeq) {
      const { path, end } = { path: this.#path, end: this.#writer.toldSize };
      for await (const batch of readSegment({ path, firstSeq: this.firstSeq, end }, at + 1)) {
        yield batch;
        at = batch.lastSeq;
      }
    }
  }
}
