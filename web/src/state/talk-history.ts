import { signal } from "@preact/signals";
import type { Conversation } from "agent-switchboard/client/core";
import type { SessionEvent } from "agent-switchboard/wire";
import { cutPageOf, from, pageOf, settledItems } from "./talk-pages.ts";
import type { TalkPage } from "./talk-pages.ts";
import type { TalkSource } from "./talk-source.ts";

/** A range of the log that is shown before the live part. It is dropped and read again as the person scrolls. */
export interface OlderPart {
  readonly firstSeq: number;
  /** The first event after it. */
  readonly endSeq: number;
  /** Absent while it is not in memory. */
  readonly conversation: Conversation | undefined;
}

const PAGE_EVENTS = 400;
/** A turn that is longer than so many pages begins in its middle. */
const MAX_PAGES_AT_ONCE = 5;
/** So many older parts stay in memory: about 1,500 items. */
const MAX_LOADED = 6;

/** The older parts of a conversation, oldest first, read when they are wanted. */
export class TalkHistory {
  readonly parts = signal<readonly OlderPart[]>([]);
  readonly hasOlder = signal(false);
  readonly isLoading = signal(false);
  readonly #source: () => TalkSource;
  /** The order in which parts were wanted, newest last. */
  #wanted: number[] = [];
  #firstSeq = 1;

  constructor(source: () => TalkSource) {
    this.#source = source;
  }

  /** Begins again: the live part begins with this event. */
  begin(firstSeq: number, hasOlder: boolean): void {
    this.parts.value = [];
    this.#wanted = [];
    this.#firstSeq = firstSeq;
    this.hasOlder.value = hasOlder;
  }

  /** Reads the part before the oldest one. */
  async loadOlder(): Promise<void> {
    if (this.isLoading.value || !this.hasOlder.value) return;
    this.isLoading.value = true;
    const endSeq = this.#firstSeq;
    try {
      const { page, more } = await newestPage(this.#source(), endSeq);
      if (this.#firstSeq !== endSeq) return;
      this.#firstSeq = page.firstSeq;
      this.hasOlder.value = more;
      const part = { firstSeq: page.firstSeq, endSeq, conversation: settled(page.conversation) };
      this.parts.value = [part, ...this.parts.value];
      this.#note(part.firstSeq);
    } finally {
      this.isLoading.value = false;
    }
  }

  /** Takes over what has become too old for the live part. */
  append(part: OlderPart): void {
    this.parts.value = [...this.parts.value, part];
    this.#note(part.firstSeq);
  }

  /** Reads a part again that was dropped. */
  async load(firstSeq: number): Promise<void> {
    const part = this.parts.value.find((each) => each.firstSeq === firstSeq);
    if (!part || part.conversation) return this.#note(firstSeq);
    const conversation = await rangeOf(this.#source(), part);
    this.parts.value = this.parts.value.map((each) =>
      each.firstSeq === firstSeq ? { ...each, conversation } : each,
    );
    this.#note(firstSeq);
  }

  /** Reads on until the event is in a part. */
  async reach(seq: number): Promise<void> {
    while (seq < this.#firstSeq && this.hasOlder.value) {
      const before = this.#firstSeq;
      await this.loadOlder();
      if (this.#firstSeq >= before) return;
    }
    const part = this.parts.value.find((each) => each.firstSeq <= seq && seq < each.endSeq);
    if (part) await this.load(part.firstSeq);
  }

  #note(firstSeq: number): void {
    this.#wanted = [...this.#wanted.filter((each) => each !== firstSeq), firstSeq];
    if (this.#wanted.length <= MAX_LOADED) return;
    const kept = new Set(this.#wanted.slice(-MAX_LOADED));
    this.#wanted = [...kept];
    this.parts.value = this.parts.value.map((each) =>
      kept.has(each.firstSeq) ? each : { ...each, conversation: undefined },
    );
  }
}

const settled = (conversation: Conversation): Conversation => ({
  ...conversation,
  items: settledItems(conversation.items),
});

/** The newest page before an event, which begins with a turn if there is one in reach. */
export async function newestPage(
  source: TalkSource,
  endSeq: number | undefined,
): Promise<{ page: TalkPage; more: boolean; events: readonly SessionEvent[] }> {
  let events: SessionEvent[] = [];
  let before = endSeq;
  for (let pages = 1; ; pages += 1) {
    const answer = await source.history({
      limit: PAGE_EVENTS,
      ...(before !== undefined && { before }),
    });
    events = [...answer.events, ...events];
    const page = pageOf(events, !answer.more);
    if (page) return { page, more: answer.more, events };
    before = events[0]?.seq ?? 1;
    if (pages >= MAX_PAGES_AT_ONCE) return { page: cutPageOf(events), more: answer.more, events };
  }
}

async function rangeOf(source: TalkSource, { firstSeq, endSeq }: OlderPart): Promise<Conversation> {
  let events: SessionEvent[] = [];
  let before = endSeq;
  let more = true;
  // One page more than it had: the message of its first turn may stand before it.
  for (let pages = 0; pages <= MAX_PAGES_AT_ONCE + 1 && more; pages += 1) {
    const answer = await source.history({ before, limit: PAGE_EVENTS });
    events = [...answer.events, ...events];
    more = answer.more;
    before = events[0]?.seq ?? 1;
    const page = pageOf(events, !more);
    if (page && page.firstSeq <= firstSeq) return settled(from(page.conversation, firstSeq));
  }
  return settled(cutPageOf(events).conversation);
}
