import type { RehearsalClient } from "../../src/rehearsal/index.ts";

/** Says when the model was asked with certain words in the newest part of the conversation. */
export class Asked {
  readonly #over = new AbortController();
  readonly #waiting = new Map<string, (atMs: number) => void>();

  constructor(rehearsal: RehearsalClient) {
    void this.#follow(rehearsal);
  }

  /** Resolves with the time at which the words reach the model. */
  of(words: string): Promise<number> {
    return new Promise((resolve) => this.#waiting.set(words, resolve));
  }

  close(): void {
    this.#over.abort();
  }

  async #follow(rehearsal: RehearsalClient): Promise<void> {
    try {
      for await (const event of rehearsal.events({ signal: this.#over.signal })) {
        if (event.type !== "request") continue;
        const atMs = performance.now();
        const news = [...event.request.new_user_texts, ...event.request.new_peer_texts].join("\n");
        for (const [words, tell] of this.#waiting) {
          if (!news.includes(words)) continue;
          this.#waiting.delete(words);
          tell(atMs);
        }
      }
    } catch {
      // It was closed.
    }
  }
}
