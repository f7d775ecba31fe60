import type { Conversation } from "agent-switchboard/client/core";
import { trim } from "agent-switchboard/client/core";
import type { OlderPart } from "./talk-history.ts";

/** So many items a live conversation keeps at most, those of running turns aside. */
const MAX_ITEMS = 1500;
/** It is cut in large steps. */
const KEPT_ITEMS = 1200;

/** Splits the oldest turns off a conversation that has become long. */
export function splitOld(
  conversation: Conversation,
): { readonly live: Conversation; readonly old: OlderPart } | undefined {
  const whole = conversation.items.filter(({ kind }) => kind !== "stub").length;
  if (whole <= MAX_ITEMS) return undefined;
  const live = trim(conversation, KEPT_ITEMS);
  const gone = [...conversation.turns.values()].filter(({ id }) => !live.turns.has(id));
  const [first] = gone;
  if (!first) return undefined;
  const ids = new Set(gone.map(({ id }) => id));
  const items = conversation.items.filter(
    (item) => item.kind !== "stub" && item.turnId !== undefined && ids.has(item.turnId),
  );
  const endSeq = Math.max(...gone.map(({ started, done }) => (done ?? started).seq)) + 1;
  const turns = new Map(gone.map((turn) => [turn.id, turn]));
  return {
    live,
    old: { firstSeq: first.started.seq, endSeq, conversation: { ...conversation, items, turns } },
  };
}
