import type { Office } from "../office.ts";
import { tellTrouble } from "../office.ts";

/** What is tried again until it works: people are told of its failure once for each thing that it is about. */
export class RepeatedTrouble {
  readonly #office: Office;
  readonly #what: string;
  readonly #told = new Set<string>();

  constructor(office: Office, what: string) {
    this.#office = office;
    this.#what = what;
  }

  tell(about: string, error: unknown): void {
    if (this.#told.has(about)) return;
    this.#told.add(about);
    tellTrouble(this.#office, this.#what, error);
  }

  isOver(about: string): void {
    this.#told.delete(about);
  }
}
