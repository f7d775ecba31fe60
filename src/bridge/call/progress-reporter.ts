import type { Progress } from "../tool/define-tool.ts";

/** MCP requires that progress increases each time; this is too little to be visible. */
const BEAT = 1e-6;

/**
 * Reports a call's progress, and signs of life while it reports none: Claude Code gives up on a call of a stdio
 * server after half an hour of silence, and other clients sooner.
 */
export class ProgressReporter {
  readonly #send: ((progress: Progress) => void) | undefined;
  #last: Progress = { progress: 0 };
  #isQuiet = true;

  constructor(send: ((progress: Progress) => void) | undefined) {
    this.#send = send;
  }

  report(progress: Progress): void {
    this.#last = progress;
    this.#isQuiet = false;
    this.#send?.(progress);
  }

  /** Call this periodically. */
  reportIfQuiet(): void {
    if (this.#isQuiet) {
      this.#last = { ...this.#last, progress: this.#last.progress + BEAT };
      this.#send?.(this.#last);
    }
    this.#isQuiet = true;
  }
}
