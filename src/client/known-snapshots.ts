import type { SessionEvent } from "../wire/session-events.ts";

/**
 * When a log begins a new file, it repeats in a snapshot what was told before. Who has followed it knows all
 * of that, and must not take an old request for a new one. Who begins, or begins anew, has to be told.
 */
export class KnownSnapshots {
  #isBlank: boolean;
  /** The place before the snapshot that is being passed over. */
  #before: number | undefined;

  /** @param isBlank whether nothing of the log is known. */
  constructor(isBlank: boolean) {
    this.#isBlank = isBlank;
  }

  /** What was told does not count any more. */
  forget(): void {
    this.#isBlank = true;
    this.#before = undefined;
  }

  /** The last event that needs not be told again, when this one was told last. */
  placeAt(seq: number): number {
    return this.#before ?? seq;
  }

  /** Whether the event is inside of a snapshot that tells nothing new. Its edges are told, so that no place is unheard of. */
  repeats(event: SessionEvent): boolean {
    if (event.type === "snapshot_begin" && !this.#isBlank) this.#before = event.seq - 1;
    else if (event.type === "snapshot_end") this.#before = undefined;
    else if (this.#before !== undefined) return true;
    this.#isBlank = false;
    return false;
  }
}
