import type { Conversation } from "agent-switchboard/client/core";
import { conversationAt } from "agent-switchboard/client/core";
import type { SessionAnswerOf } from "agent-switchboard/wire";

/** The newest page of a session as it stands now: what holds is told by its `init`, not by the page's events. */
export function conversationNow(page: Conversation, init: SessionAnswerOf<"init">): Conversation {
  const { items, turns, todo, retry, compacting } = page;
  return { ...conversationAt(init, init.last_seq), items, turns, todo, retry, compacting };
}

/** A conversation that was left with its newest event and goes on: the events since then follow. */
export const conversationAgain = (
  known: Conversation,
  init: SessionAnswerOf<"init">,
): Conversation => ({
  ...known,
  mode: init.mode,
  model: init.model,
  effort: init.effort,
  context: init.context,
  costUsd: init.cost_usd ?? known.costUsd,
  // The turns up to here are in that sum.
  costSeq: init.last_seq,
});

/** Nothing of it goes on. */
export const conversationOfAsleep = (page: Conversation): Conversation => ({
  ...page,
  pending: [],
  state: "idle",
  openTurn: undefined,
  backgroundTasks: [],
  retry: undefined,
  compacting: false,
});
