import type { NewsFact, Place } from "./ledger.ts";
import type { News } from "./news.ts";

/** What a notifier hears of a team or a session, in order. */
export type Heard =
  /** It reads from here on: nothing was known, or the log is another one. */
  | { readonly type: "began"; readonly place: Place; readonly open: readonly News[] }
  | { readonly type: "happened"; readonly place: Place; readonly fact?: NewsFact | undefined }
  /** Whether all that had happened when the connection was made has been heard. What waits now is known then. */
  | { readonly type: "live"; readonly isLive: boolean };

/** A team or a session that is read from a place on. */
export interface Source {
  /**
   * Tells all that happens after the place, through lost connections and restarts. Resolves when the signal is aborted, or when
   * nothing more will happen because the session has ended.
   *
   * @throws `team_not_running`, `connection_failed` when there is nobody to read from yet.
   */
  read(after: Place | undefined, hear: (heard: Heard) => void, signal: AbortSignal): Promise<void>;
}

/** Finds out when all is heard that had happened before a connection. */
export class CatchUp {
  readonly #tell: (isLive: boolean) => void;
  #target = 0;
  #seen = 0;
  #isConnected = false;
  #isLive = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(tell: (isLive: boolean) => void) {
    this.#tell = tell;
  }

  /** @param lastSeq the newest event when the connection was made. */
  connected(lastSeq: number): void {
    this.#target = lastSeq;
    this.#isConnected = true;
    this.#look();
  }

  lost(): void {
    this.#isConnected = false;
    this.#look();
  }

  /** Everything up to this event has been heard. */
  at(seq: number): void {
    this.#seen = seq;
    this.#look();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #look(): void {
    clearTimeout(this.#timer);
    const isLive = this.#isConnected && this.#seen >= this.#target;
    // Events that only repeat others are not told, so the last one may never be heard.
    if (this.#isConnected && !isLive) {
      this.#timer = setTimeout(() => this.at(this.#target), QUIET_MS);
    }
    if (isLive === this.#isLive) return;
    this.#isLive = isLive;
    this.#tell(isLive);
  }
}

const QUIET_MS = 3_000;
