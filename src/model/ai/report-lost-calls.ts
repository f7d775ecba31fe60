import type { ClaudeCodeError } from "../../wire/errors.ts";

/** How many are remembered; the reason for older ones is forgotten. */
const REMEMBERED = 1_000;

/**
 * Calls whose session ended while it waited for their results, and why. Reported once, to a caller that brings one.
 */
export class LostCalls {
  readonly #errors = new Map<string, ClaudeCodeError>();

  add(ids: readonly string[], error: ClaudeCodeError): void {
    for (const id of ids) this.#errors.set(id, error);
    const tooMany = this.#errors.size - REMEMBERED;
    for (const id of [...this.#errors.keys()].slice(0, Math.max(tooMany, 0))) {
      this.#errors.delete(id);
    }
  }

  take(ids: readonly string[]): ClaudeCodeError | undefined {
    const error = ids.map((id) => this.#errors.get(id)).find(Boolean);
    for (const id of ids) this.#errors.delete(id);
    return error;
  }
}
