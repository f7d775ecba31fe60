import { cutText, ownCopy } from "../text/cut-text.ts";
import type { StoredText } from "../wire/blob.ts";
import type { StoredContentBlock } from "../wire/content.ts";
import type { Conversation, ConversationItem, StubItem, Turn } from "./conversation.ts";
import { turnKey } from "./item-list.ts";

const MAX_FIRST_WORDS = 120;

type Whole = Exclude<ConversationItem, StubItem>;

/**
 * The conversation with at most `keep` whole items: the oldest turns that are over give their items for a stub each, and
 * notes and messages between them go with them. The newest turn, open turns, and turns of which something runs or waits
 * for a person stay, so there may be more. What is folded later gives the same items after the stubs as without `trim`.
 */
export function trim(conversation: Conversation, keep: number): Conversation {
  const turns = turnsOf(conversation);
  let whole = conversation.items.filter(({ kind }) => kind !== "stub").length;
  const gone = new Map<string, Whole[]>();
  for (const [id, items] of turns) {
    if (whole <= keep) break;
    if (!canGo(conversation, id, items)) continue;
    gone.set(id, items);
    whole -= items.length;
  }
  if (gone.size === 0) return conversation;
  const left = new Map(conversation.turns);
  for (const id of gone.keys()) left.delete(id);
  return { ...conversation, items: withStubs(conversation, gone), turns: left };
}

/** The whole items of each turn, the oldest turn first. */
function turnsOf({ items }: Conversation): Map<string, Whole[]> {
  const turns = new Map<string, Whole[]>();
  for (const item of items) {
    if (item.kind === "stub" || item.turnId === undefined) continue;
    const known = turns.get(item.turnId);
    if (known) known.push(item);
    else turns.set(item.turnId, [item]);
  }
  return turns;
}

function canGo({ turns, pending }: Conversation, id: string, items: readonly Whole[]): boolean {
  const newest = [...turns.keys()].at(-1);
  if (id === newest || !turns.get(id)?.done) return false;
  const waiting = new Set(pending.map(({ request_id }) => request_id));
  return !items.some((item) => isLive(item, waiting));
}

function isLive(item: Whole, waiting: ReadonlySet<string>): boolean {
  if (item.kind === "note") {
    return "request_id" in item.note && waiting.has(item.note.request_id ?? "");
  }
  if (item.kind !== "tool") return false;
  const { runsOn, agent, agentEnd, requestId } = item;
  return runsOn === true || (agent?.background === true && !agentEnd) || waiting.has(requestId);
}

function withStubs(
  { items, turns }: Conversation,
  gone: ReadonlyMap<string, Whole[]>,
): ConversationItem[] {
  const last = items.findLastIndex((item) => gone.has(turnOf(item) ?? ""));
  const kept: ConversationItem[] = [];
  const made = new Set<string>();
  for (const [index, item] of items.entries()) {
    const id = turnOf(item);
    const taken = gone.get(id ?? "");
    const before = kept.at(-1);
    if (taken) {
      const turn = turns.get(id ?? "");
      if (turn?.done && !made.has(turn.id)) kept.push(stubOf(turn, turn.done, taken));
      made.add(id ?? "");
    } else if (index < last && before?.kind === "stub" && isLoose(item)) {
      kept[kept.length - 1] = withLoose(before, item);
    } else kept.push(item);
  }
  return kept;
}

const turnOf = (item: ConversationItem): string | undefined =>
  item.kind === "stub" ? undefined : item.turnId;

type Loose = Extract<Whole, { kind: "note" | "message" }>;

/** It belongs to no turn, and nothing will happen to it any more. */
const isLoose = (item: ConversationItem): item is Loose =>
  (item.kind === "note" && item.turnId === undefined && !("request_id" in item.note)) ||
  (item.kind === "message" && (item.fate === "seen" || item.fate === "dropped"));

const withLoose = (stub: StubItem, item: Loose): StubItem => {
  const { seq } = item.kind === "note" ? item.note : item.message;
  return {
    ...stub,
    firstSeq: Math.min(stub.firstSeq, seq),
    lastSeq: Math.max(stub.lastSeq, seq),
    items: stub.items + 1,
  };
};

function stubOf(turn: Turn, done: NonNullable<Turn["done"]>, items: readonly Whole[]): StubItem {
  const seqs = items.flatMap((item) => (item.kind === "message" ? item.message.seq : []));
  const openCalls = items.flatMap((item) =>
    item.kind === "tool" && !item.result ? item.requestId : [],
  );
  return {
    kind: "stub",
    key: turnKey(turn.id),
    turnId: turn.id,
    firstSeq: Math.min(turn.started.seq, ...seqs),
    lastSeq: done.seq,
    firstWords: ownCopy(cutText(firstWordsOf(items), MAX_FIRST_WORDS)),
    costUsd: done.cost_usd,
    stopReason: done.stop_reason,
    items: items.length,
    ...(openCalls.length > 0 && { openCalls }),
  };
}

function firstWordsOf(items: readonly Whole[]): string {
  for (const item of items) {
    const words = wordsOf(item).trim();
    if (words !== "") return words;
  }
  return "";
}

function wordsOf(item: Whole): string {
  if (item.kind === "text") return item.text;
  if (item.kind !== "message") return "";
  const { text, content = [] } = item.message;
  const texts = text === undefined ? content.flatMap(textOf) : [text];
  return texts.map((each) => (typeof each === "string" ? each : each.preview)).join("\n");
}

const textOf = (block: StoredContentBlock): StoredText[] =>
  block.type === "text" ? [block.text] : [];
