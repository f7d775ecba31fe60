import { ClaudeCodeError } from "../wire/errors.ts";
import type { LogBatch, StreamLog } from "./log-batch.ts";
import { linesAfter } from "./lines-after-seq.ts";

/** Where a feed sends: the sending side of a channel. */
export interface FeedTarget {
  trySend(bytes: Uint8Array): boolean;
  drained(): Promise<void>;
}

export interface FeedOptions {
  readonly log: StreamLog;
  readonly target: FeedTarget;
  /** Events up to this one are not sent. */
  readonly position: number;
  /** The log was rotated past this client, which has to start over from the snapshot. */
  readonly onReset: (since: number) => void;
  /** The log cannot be read. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Sends one client every event after its position, once and in order. While the client keeps up, it gets the
 * published batches without a copy. When its queue is full, it is left alone until it has read everything, and is
 * then served from the disk: a slow client costs its queue and nothing more.
 */
export class Feed {
  readonly #options: FeedOptions;
  #position: number;
  #live = true;
  /** Counts the catch-ups: one that was overtaken by another stops. */
  #run = 0;
  #caughtUp: Promise<void> = Promise.resolve();

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#position = options.position;
  }

  /** The log has published a batch. */
  take(batch: LogBatch): void {
    if (!this.#live || batch.lastSeq <= this.#position) return;
    const bytes = this.#isInside(batch) ? linesAfter(batch, this.#position) : batch.bytes;
    if (this.#options.target.trySend(bytes)) this.#position = batch.lastSeq;
    else this.#catchUp();
  }

  /** From now on, every event after `since`. Drops what was to be sent for an earlier position. */
  restart(since: number): void {
    this.#position = since;
    this.#catchUp();
  }

  /** Resolves when the client has been sent all that the log had published at some moment after the call. */
  caughtUp(): Promise<void> {
    return this.#caughtUp;
  }

  stop(): void {
    this.#live = false;
    this.#run += 1;
  }

  #isInside({ firstSeq }: LogBatch): boolean {
    return firstSeq <= this.#position;
  }

  #catchUp(): void {
    this.#live = false;
    this.#run += 1;
    this.#caughtUp = this.#readOn(this.#run).catch((error: unknown) => this.#fail(error));
  }

  async #readOn(run: number): Promise<void> {
    const { log, target } = this.#options;
    for (;;) {
      await target.drained();
      if (run !== this.#run) return;
      // From this check on `take` gets everything: there is no gap.
      if (this.#position >= log.publishedSeq) break;
      if (this.#position < log.firstSeq - 1) this.#reset(log.firstSeq - 1);
      await this.#replay(run);
    }
    this.#live = true;
  }

  async #replay(run: number): Promise<void> {
    const { log, target } = this.#options;
    for await (const batch of log.readAfter(this.#position)) {
      while (run === this.#run && !target.trySend(batch.bytes)) await target.drained();
      if (run !== this.#run) return;
      this.#position = batch.lastSeq;
    }
  }

  #reset(since: number): void {
    this.#position = since;
    this.#options.onReset(since);
  }

  #fail(error: unknown): void {
    const code = error instanceof ClaudeCodeError ? error.code : undefined;
    // The connection is gone, and its owner knows.
    if (code === "connection_lost") return;
    // The log was rotated between our check and the read: check again.
    if (code === "since_not_in_log") this.#catchUp();
    else this.#options.onFailure(error);
  }
}
