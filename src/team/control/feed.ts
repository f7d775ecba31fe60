import type { TeamEvent } from "../../wire/team-events.ts";
import type { Timeline } from "../timeline/timeline.ts";

/** Sends the timeline to one client, in order and without gaps, at the client's own pace. */
export class Feed {
  readonly #timeline: Timeline;
  readonly #send: (event: TeamEvent) => Promise<void>;
  readonly #unsubscribe: () => void;
  #place: number;
  #wake: (() => void) | undefined;
  #closed = false;

  constructor(timeline: Timeline, send: (event: TeamEvent) => Promise<void>) {
    this.#timeline = timeline;
    this.#send = send;
    this.#place = timeline.lastSeq;
    this.#unsubscribe = timeline.subscribe(() => this.#wake?.());
  }

  /** The last event that the client has, or is about to have. */
  get place(): number {
    return this.#place;
  }

  /** From here on every event after `since` arrives once. */
  moveTo(since: number): void {
    this.#place = since;
    this.#wake?.();
  }

  async run(): Promise<void> {
    while (!this.#closed) {
      const from = this.#place;
      for await (const events of this.#timeline.after(from)) {
        for (const event of events) {
          // The client may have asked for another place meanwhile, or has what came with the page before.
          if (this.#closed || event.seq !== this.#place + 1) continue;
          this.#place = event.seq;
          await this.#send(event);
        }
      }
      if (this.#place < this.#timeline.lastSeq && this.#place !== from) continue;
      await this.#more();
    }
  }

  close(): void {
    this.#closed = true;
    this.#unsubscribe();
    this.#wake?.();
  }

  async #more(): Promise<void> {
    const from = this.#place;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (this.#closed || this.#timeline.lastSeq > from) resolve();
    });
  }
}
