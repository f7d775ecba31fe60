import type { Conversation, ConversationItem, StubItem } from "agent-switchboard/client/core";
import { emptyConversation, fold } from "agent-switchboard/client/core";
import type { SessionEvent } from "agent-switchboard/wire";

/** Items of turns that are in memory. A stub stands for a turn that is not. */
export type WholeItem = Exclude<ConversationItem, StubItem>;

export const wholeItems = (items: readonly ConversationItem[]): readonly WholeItem[] =>
  items.every(isWhole) ? items : items.filter(isWhole);

const isWhole = (item: ConversationItem): item is WholeItem => item.kind !== "stub";

/** A part of a session's log, from the beginning of a turn on, folded by itself. */
export interface TalkPage {
  /** The first event that it stands for: older pages end before it. */
  readonly firstSeq: number;
  readonly conversation: Conversation;
}

/**
 * Folds one page of `history`. It begins where its first whole turn begins, and what comes before that is left to the page
 * before it; only the oldest page of a log keeps everything. Undefined when the page is too short to hold a turn.
 */
export function pageOf(events: readonly SessionEvent[], isOldest: boolean): TalkPage | undefined {
  const first = events[0];
  if (!first) return isOldest ? { firstSeq: 1, conversation: emptyConversation } : undefined;
  const told = withoutSnapshots(events, isOldest);
  if (isOldest) return { firstSeq: first.seq, conversation: fold(emptyConversation, told) };
  const start = firstWholeTurn(told);
  if (start === undefined) return undefined;
  return { firstSeq: start, conversation: from(fold(emptyConversation, told), start) };
}

/** What began with this event or later. */
export function from(conversation: Conversation, start: number): Conversation {
  const { turns } = conversation;
  const items = conversation.items.filter((item) => {
    if (item.turnId === undefined) return seqOf(item) >= start;
    return (turns.get(item.turnId)?.started.seq ?? -1) >= start;
  });
  return { ...conversation, items };
}

/** A long turn may have more events than a page: then its newest part is shown. */
export function cutPageOf(events: readonly SessionEvent[]): TalkPage {
  return {
    firstSeq: events[0]?.seq ?? 1,
    conversation: fold(emptyConversation, withoutSnapshots(events, true)),
  };
}

/** Without messages that wait: the newer page, in which their turn begins, has them. */
export const settledItems = (items: readonly ConversationItem[]): readonly ConversationItem[] =>
  items.filter((item) => item.kind !== "message" || item.fate !== "queued");

/** The number of the first turn_started whose messages are all there. */
function firstWholeTurn(events: readonly SessionEvent[]): number | undefined {
  const known = new Set<string>();
  for (const event of events) {
    if (event.type === "user_message") known.add(event.id);
    if (event.type === "turn_started" && event.messages.every((id) => known.has(id))) {
      return event.seq;
    }
  }
  return undefined;
}

const seqOf = (item: ConversationItem): number => {
  if (item.kind === "message") return item.message.seq;
  return item.kind === "note" ? item.note.seq : Number.POSITIVE_INFINITY;
};

/** A snapshot repeats what older events have told. Only at the very beginning of a log it tells something new. */
function withoutSnapshots(
  events: readonly SessionEvent[],
  keepsFirst: boolean,
): readonly SessionEvent[] {
  const told: SessionEvent[] = [];
  let isInside = false;
  for (const [index, event] of events.entries()) {
    if (event.type === "snapshot_begin" && !(keepsFirst && index === 0)) isInside = true;
    else if (event.type === "snapshot_end") {
      if (!isInside && !(keepsFirst && events[0]?.type === "snapshot_begin")) told.length = 0;
      if (!isInside) told.push(event);
      isInside = false;
    } else if (!isInside) told.push(event);
  }
  return told;
}
