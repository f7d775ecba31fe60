import type { SessionEventOf } from "../../wire/session/events.ts";

/**
 * Counts how often a session was lost while it worked on a message. Without a limit, a message that ends its session
 * would be taken up and paid for again for ever.
 */
export class SessionLossCounts {
  readonly #lost = new Map<string, number>();

  /** @param messages what the turn was about. */
  ended(messages: readonly string[], done: SessionEventOf<"done">): void {
    for (const id of done.messages) this.#lost.delete(id);
    const isLost = done.stop_reason === "cli_lost" || done.stop_reason === "host_lost";
    if (!isLost || done.messages.length > 0) return;
    for (const id of messages) this.#lost.set(id, (this.#lost.get(id) ?? 0) + 1);
  }

  /** Messages with which a session was lost this many times. */
  over(times: number): string[] {
    return [...this.#lost].flatMap(([id, lost]) => (lost >= times ? [id] : []));
  }
}
