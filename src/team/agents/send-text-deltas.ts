import type { SessionEventOf } from "../../wire/session/events.ts";
import type { AgentId } from "../../wire/team/messages.ts";

export type DeltaListener = (agent: AgentId, event: SessionEventOf<"text_delta">) => void;

/** The pieces of text that agents are writing now. They are sent to clients and not stored. */
export class TextDeltas {
  readonly #listeners = new Set<DeltaListener>();

  tell(agent: AgentId, event: SessionEventOf<"text_delta">): void {
    for (const listener of this.#listeners) listener(agent, event);
  }

  /** Returns a function that ends the subscription. */
  listen(listener: DeltaListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
