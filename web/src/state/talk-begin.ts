import type { Conversation } from "agent-switchboard/client/core";
import type { SessionAnswerOf } from "agent-switchboard/wire";

/** The newest page of a session as it stands now: what holds is told by its `init`, not by the page's events. */
export function conversationNow(
  page: Conversation,
  init: SessionAnswerOf<"init">,
): Conversation {
  const { state, mode, model, effort, context, pending, turn_id, last_seq } = init;
  return {
    ...page,
    seq: last_seq,
    openTurn: turn_id,
    pending,
    state,
    mode,
    model,
    effort,
    context,
    costUsd: init.cost_usd ?? page.costUsd,
    mcpServers: init.mcp_servers ?? [],
  };
}

/** Nothing of it goes on. */
export const conversationOfAsleep = (page: Conversation): Conversation => ({
  ...page,
  pending: [],
  state: "idle",
  openTurn: undefined,
  retry: undefined,
  compacting: false,
});
