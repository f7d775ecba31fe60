/** Of one stream and direction. */
const MAX_WINDOW_BYTES = 512 * 1024;
const MIN_WINDOW_BYTES = 16 * 1024;
/** A server cuts off a client that has more waiting than 64 MiB. */
const TOTAL_BYTES = 48 * 1024 * 1024;
const SHARE = 8;

/** Divides what may be on its way to this process among its streams: a window is smaller when there are many. */
export class Windows {
  #free: number;

  constructor(totalBytes: number = TOTAL_BYTES) {
    this.#free = totalBytes;
  }

  take(): number {
    const share = Math.floor(this.#free / SHARE);
    const window = Math.min(Math.max(share, MIN_WINDOW_BYTES), MAX_WINDOW_BYTES);
    this.#free -= window;
    return window;
  }

  giveBack(window: number): void {
    this.#free += window;
  }
}
