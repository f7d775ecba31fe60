import { signal } from "@preact/signals";
import type { TalkState } from "../../state/talk-state.ts";
import { explain } from "../../link/errors.ts";
import type { TalkPlace } from "../talk-context.ts";
import { findLoaded } from "./find-loaded.ts";

export interface Hit extends TalkPlace {
  readonly preview: string;
  readonly at?: string | undefined;
}

const PAGE = 30;
/** One call looks at a part of a long log only. */
const MAX_EMPTY_CALLS = 20;
const kinds: Readonly<Record<string, TalkPlace["kind"]>> = {
  text_delta: "text",
  thinking_delta: "thinking",
};
const MAX_HITS = 300;

/** A search through a whole conversation, also where nothing of it is in the document. */
export class FindState {
  readonly hits = signal<readonly Hit[]>([]);
  readonly hasMore = signal(false);
  readonly isSearching = signal(false);
  readonly problem = signal<string | undefined>(undefined);
  readonly text = signal("");
  readonly #state: TalkState;
  #before: number | undefined;
  #run = 0;

  constructor(state: TalkState) {
    this.#state = state;
  }

  get seesAll(): boolean {
    return this.#state.life.value.kind === "live";
  }

  async search(text: string): Promise<void> {
    this.#run += 1;
    this.text.value = text;
    this.hits.value = [];
    this.hasMore.value = false;
    this.problem.value = undefined;
    this.#before = undefined;
    if (text === "") return;
    if (this.seesAll) return this.more();
    const { conversation, history } = this.#state;
    const parts = history.parts.value.flatMap((part) => part.conversation ?? []);
    this.hits.value = findLoaded([...parts, conversation.value], text, MAX_HITS);
  }

  /** Searches on in older turns, until there is something to show. */
  async more(): Promise<void> {
    const run = this.#run;
    const text = this.text.value;
    this.isSearching.value = true;
    try {
      for (let calls = 0; calls < MAX_EMPTY_CALLS; calls += 1) {
        const found = await this.#state.client.search(text, {
          limit: PAGE,
          ...(this.#before !== undefined && { before: this.#before }),
        });
        if (run !== this.#run) return;
        this.#before = found.before;
        const hits = found.hits.map((hit): Hit => {
          const { seq, turn_id: turnId, request_id: requestId, id: messageId, preview, at } = hit;
          const kind = kinds[hit.type];
          return { seq, kind, turnId, requestId, messageId, preview, at, text };
        });
        this.hits.value = [...this.hits.value, ...hits];
        this.hasMore.value = found.more && this.hits.value.length < MAX_HITS;
        if (hits.length > 0 || !found.more) return;
      }
    } catch (error) {
      if (run === this.#run) this.problem.value = explain(error);
    } finally {
      if (run === this.#run) this.isSearching.value = false;
    }
  }
}
