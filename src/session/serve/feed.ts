import { ClaudeCodeError } from "../../wire/errors.ts";
import type { EventLog } from "../log/event-log.ts";
import type { LogBatch } from "../log/log-batch.ts";
import { linesAfter } from "./lines-after.ts";

/** Where a feed goes: the sending side of a channel. */
export interface FeedTarget {
  trySend(bytes: Uint8Array): boolean;
  drained(): Promise<void>;
}

export interface FeedOptions {
  readonly log: EventLog;
  readonly target: FeedTarget;
  /** Events up to this one are not sent. */
  readonly position: number;
  /** The log has been rotated past this client, which has to start over from its snapshot. */
  readonly onReset: (since: number) => void;
  /** The log cannot be read. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Brings one client every event after its position, once and in order. While the client keeps up, it
 * is sent what the log tells, in the log's own memory. When its queue is full it is left alone until
 * it has read everything, and then read on to from the disk: a slow client costs its queue, no more.
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

  /** The log has told a batch. */
  take(batch: LogBatch): void {
    if (!this.#live || batch.lastSeq <= this.#position) return;
    const bytes = this.#isInside(batch) ? linesAfter(batch, this.#position) : batch.bytes;
    if (this.#options.target.trySend(bytes)) this.#position = batch.lastSeq;
    else this.#catchUp();
  }

  /** Every event after `since`, from now on. What was to be sent for an earlier position is not. */
  restart(since: number): void {
    this.#position = since;
    this.#catchUp();
  }

  /** Resolves when the client has been sent all that the log had told by some moment after the call. */
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
      // From this check on everything is told to `take`: there is no gap in between.
      if (this.#position >= log.toldSeq) break;
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
    // The log was rotated between our look at it and the read: look again.
    if (code === "since_not_in_log") this.#catchUp();
    else this.#options.onFailure(error);
  }
}
