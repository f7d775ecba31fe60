import type { RehearsalClient } from "../../../src/rehearsal/client.ts";
import type { JournalEvent } from "../../../src/rehearsal/journal.ts";
import { Trail } from "../trail.ts";

/** What the model saw and did, as far as a storm looks at it: conversations are long, and all of them too many. */
export interface ModelEvent {
  type: "request" | "first_delta" | "finished";
  id: number;
  agent: string | null;
  /** Of a request: the messages of the conversation, as JSON. */
  words: string;
  /** Of an answer: the calls in it. */
  toolUseIds: string[];
}

/** Follows the journal of a rehearsal, which no kill ends. */
export class ModelWatch extends Trail<ModelEvent> {
  readonly #over = new AbortController();
  readonly #agents = new Map<number, string | null>();
  readonly #following: Promise<void>;

  constructor(rehearsal: RehearsalClient) {
    super();
    this.#following = this.#follow(rehearsal);
  }

  /** Forgets the words of all requests up to now. */
  forget(): void {
    for (const event of this.told) event.words = "";
  }

  async close(): Promise<void> {
    this.#over.abort();
    await this.#following;
  }

  async #follow(rehearsal: RehearsalClient): Promise<void> {
    try {
      for await (const event of rehearsal.events({ signal: this.#over.signal })) {
        this.#take(event);
      }
    } catch {
      // The end of the storm, or of the rehearsal.
    }
  }

  #take(event: JournalEvent): void {
    if (event.type === "request") {
      const { id, agent, kind, body } = event.request;
      if (kind !== "main") return;
      this.#agents.set(id, agent);
      this.#tell("request", id, JSON.stringify(body?.messages ?? []));
    } else if (event.type === "first_delta") {
      this.#tell("first_delta", event.id);
    } else if (event.type === "finished") {
      this.#tell("finished", event.id, "", event.outcome.tool_use_ids);
    }
  }

  #tell(type: ModelEvent["type"], id: number, words = "", toolUseIds: string[] = []): void {
    const agent = this.#agents.get(id);
    if (agent !== undefined) this.add({ type, id, agent, words, toolUseIds });
  }
}
