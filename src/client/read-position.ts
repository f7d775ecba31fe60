import { KnownSnapshots } from "./known-snapshots.ts";
import type { SessionItem } from "./session-item.ts";

/** How far a program has read, and in which log: pass it to resume from there. */
export interface ReadPlace {
  readonly since: number;
  readonly logId: string;
  readonly epoch: number;
}

/** An internal item: what follows is from another start of the host. */
interface NextStart {
  readonly type: "next_start";
  readonly logId: string;
  readonly epoch: number;
}

export type QueuedItem = SessionItem | NextStart;

/** Follows what the reader takes, not what has arrived: items that wait for the reader are lost with its program. */
export class Reading {
  #place: ReadPlace;
  readonly #snapshots: KnownSnapshots;

  constructor(place: ReadPlace) {
    this.#place = place;
    this.#snapshots = new KnownSnapshots(place.since === 0);
  }

  get place(): ReadPlace {
    return this.#place;
  }

  take(item: QueuedItem): void {
    if (item.type === "reset" || item.type === "next_start") {
      const { logId, epoch } = item;
      const since = item.type === "reset" ? 0 : this.#place.since;
      this.#place = { since, logId, epoch };
      if (item.type === "reset") this.#snapshots.forget();
      return;
    }
    this.#snapshots.repeats(item);
    this.#place = { ...this.#place, since: this.#snapshots.placeAt(item.seq) };
  }
}
