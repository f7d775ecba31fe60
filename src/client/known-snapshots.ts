import type { SessionEvent } from "../wire/session/events.ts";

/**
 * When a log begins a new file, it repeats earlier events in a snapshot. A client that has followed knows all of them
 * and must not take an old request for a new one. A client that begins, or begins again, needs the snapshot.
 */
export class KnownSnapshots {
  #isBlank: boolean;
  /** The seq before the snapshot that is being skipped. */
  #before: number | undefined;

  /** @param isBlank whether nothing of the log is known. */
  constructor(isBlank: boolean) {
    this.#isBlank = isBlank;
  }

  /** Earlier events no longer count. */
  forget(): void {
    this.#isBlank = true;
    this.#before = undefined;
  }

  /** The `since` to resume from after this event. */
  placeAt(seq: number): number {
    return this.#before ?? seq;
  }

  /**
   * Whether the event is inside a snapshot that contains nothing new. The snapshot's first and last event are passed
   * on, so that every seq can be named.
   */
  repeats(event: SessionEvent): boolean {
    if (event.type === "snapshot_begin" && !this.#isBlank) this.#before = event.seq - 1;
    else if (event.type === "snapshot_end") this.#before = undefined;
    else if (this.#before !== undefined) return true;
    this.#isBlank = false;
    return false;
  }
}
