import type { Conversation } from "agent-switchboard/client/core";
import { conversationAt } from "agent-switchboard/client/core";
import type { SessionAnswerOf } from "agent-switchboard/wire";

/** The newest page of a session as it stands now: what holds is told by its `init`, not by the page's events. */
export function conversationNow(page: Conversation, init: SessionAnswerOf<"init">): Conversation {
  const { items, turns, todo, retry, compacting } = page;
  return { ...conversationAt(init, init.last_seq), items, turns, todo, retry, compacting };
}

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
