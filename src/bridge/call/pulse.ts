import type { Progress } from "../tool/define-tool.ts";

/** MCP wants each progress to be more than the one before; this is too little to be seen. */
const BEAT = 1e-6;

/**
 * What a call tells of its progress, and signs of life while it tells nothing: Claude Code gives up a call of a
 * stdio server that has been silent for half an hour, and other clients do so sooner.
 */
export class Pulse {
  readonly #send: ((progress: Progress) => void) | undefined;
  #last: Progress = { progress: 0 };
  #isQuiet = true;

  constructor(send: ((progress: Progress) => void) | undefined) {
    this.#send = send;
  }

  tell(progress: Progress): void {
    this.#last = progress;
    this.#isQuiet = false;
    this.#send?.(progress);
  }

  /** To be called from time to time. */
  beat(): void {
    if (this.#isQuiet) {
      this.#last = { ...this.#last, progress: this.#last.progress + BEAT };
      this.#send?.(this.#last);
    }
    this.#isQuiet = true;
  }
}
