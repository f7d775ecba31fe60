import type { OnTrouble } from "../timeline/report-failure.ts";

/** Tells people once of a failure that is retried until it passes, for each thing that it is about. */
export class RepeatedFailureReporter {
  readonly #onTrouble: OnTrouble;
  readonly #what: string;
  readonly #reported = new Set<string>();

  constructor(onTrouble: OnTrouble, what: string) {
    this.#onTrouble = onTrouble;
    this.#what = what;
  }

  tell(about: string, error: unknown): void {
    if (this.#reported.has(about)) return;
    this.#reported.add(about);
    this.#onTrouble(this.#what, error);
  }

  isOver(about: string): void {
    this.#reported.delete(about);
  }
}
