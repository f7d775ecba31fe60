import { setTimeout as delay } from "node:timers/promises";
import type { RehearsalClient } from "../../../src/rehearsal/rehearsal-client.ts";
import type { JournalEvent } from "../../../src/rehearsal/journal.ts";
import { isOfMainAgent } from "../persona.ts";
import { Trail } from "../trail.ts";

/** What the model saw and did, as far as a storm looks at it: conversations are long, and all of them too many. */
export interface ModelEvent {
  type: "request" | "first_delta" | "finished";
  id: number;
  agent: string | null;
  /** By the clock of the machine. */
  atMs: number;
  /** Of a request: the messages of the conversation, as JSON. */
  words: string;
  /** Of a request of the agent itself: its system prompt. */
  system?: string;
  /** Of an answer: the calls in it. */
  toolUseIds: string[];
}

const RETRY_MS = 50;
const POLL_MS = 20;
const CATCH_UP_MS = 60_000;

/** Follows the journal of a rehearsal, which no kill ends: attaches again where it was. */
export class ModelWatch extends Trail<ModelEvent> {
  readonly #rehearsal: RehearsalClient;
  readonly #over = new AbortController();
  readonly #agents = new Map<number, string | null>();
  readonly #following: Promise<void>;
  /** Events that were not the next one, or of another rehearsal: what was between them was not read. */
  readonly #wrong: string[] = [];
  #run: string | undefined;
  /** Number of the newest event that was read. */
  #read = 0;

  constructor(rehearsal: RehearsalClient) {
    super();
    this.#rehearsal = rehearsal;
    this.#following = this.#follow();
  }

  /**
   * Resolves when all is read that the rehearsal has told up to now. It comes another way than the team's
   * timeline, and later on a busy machine. Rejects when something is missing.
   */
  async caughtUp(withinMs = CATCH_UP_MS): Promise<void> {
    const { events, run } = await this.#rehearsal.status();
    const deadline = performance.now() + withinMs;
    while (this.#read < events) {
      if (performance.now() > deadline) {
        throw new Error(`Only ${this.#read} of the rehearsal's ${events} events could be read.`);
      }
      await delay(POLL_MS);
    }
    if (this.#run !== undefined && run !== this.#run) {
      this.#wrong.push(`rehearsal ${run} is another one than ${this.#run}`);
    }
    if (this.#wrong.length > 0) throw new Error(`The journal has gaps: ${this.#wrong.join("; ")}`);
  }

  /** Forgets the words and prompts of all requests up to now. */
  forget(): void {
    for (const event of this.told) {
      event.words = "";
      delete event.system;
    }
  }

  async close(): Promise<void> {
    this.#over.abort();
    await this.#following;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#over;
    while (!signal.aborted) {
      try {
        const events = this.#rehearsal.events({ since: this.#read, signal });
        for await (const event of events) this.#take(event);
      } catch {
        // It let us go, or has ended. `caughtUp` says whether all was read.
      }
      await delay(RETRY_MS, undefined, { signal }).catch(() => {});
    }
  }

  #take(event: JournalEvent): void {
    this.#run ??= event.run;
    if (event.n !== this.#read + 1 || event.run !== this.#run) {
      this.#wrong.push(`${event.n} of ${event.run} after ${this.#read} of ${this.#run}`);
    }
    this.#read = event.n;
    const atMs = Date.parse(event.at);
    if (event.type === "request") {
      const { id, agent, kind, body, system } = event.request;
      if (kind !== "main") return;
      this.#agents.set(id, agent);
      const words = JSON.stringify(body?.messages ?? []);
      this.#tell("request", { id, atMs, words, ...(isOfMainAgent(event.request) && { system }) });
    } else if (event.type === "first_delta") {
      this.#tell("first_delta", { id: event.id, atMs });
    } else if (event.type === "finished") {
      this.#tell("finished", { id: event.id, atMs, toolUseIds: event.outcome.tool_use_ids ?? [] });
    }
  }

  #tell(
    type: ModelEvent["type"],
    facts: Pick<ModelEvent, "id" | "atMs"> & Partial<ModelEvent>,
  ): void {
    const agent = this.#agents.get(facts.id);
    if (agent !== undefined) this.add({ type, agent, words: "", toolUseIds: [], ...facts });
  }
}
