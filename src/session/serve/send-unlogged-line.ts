import type { SessionAnswer } from "../../wire/session/answers.ts";

interface LineTarget {
  /** Resolves when the client has read what was queued for it. Rejects when it has left. */
  drained(): Promise<void>;
  send(line: SessionAnswer): Promise<void>;
}

/**
 * Tells one client about something that is not in the log, such as who is connected. A slow client is told the newest
 * version only, and no client is told what it knows.
 */
export class NewestLine {
  readonly #read: () => SessionAnswer;
  readonly #target: LineTarget;
  #known = "";
  #isTelling = false;
  #isStopped = false;

  constructor(read: () => SessionAnswer, target: LineTarget) {
    this.#read = read;
    this.#target = target;
  }

  /** The client learns the present version in another way. */
  know(): void {
    this.#known = JSON.stringify(this.#read());
  }

  announce(): void {
    if (!this.#isTelling) void this.#tell();
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #tell(): Promise<void> {
    this.#isTelling = true;
    try {
      for (;;) {
        await this.#target.drained();
        const line = this.#read();
        const text = JSON.stringify(line);
        if (text === this.#known || this.#isStopped) return;
        this.#known = text;
        await this.#target.send(line);
      }
    } catch {
      // The client has left.
    } finally {
      this.#isTelling = false;
    }
  }
}
