import type { SessionAnswerOf } from "../wire/session/answers.ts";
import type { Conversation } from "./conversation.ts";
import { emptyConversation } from "./conversation.ts";

/**
 * A conversation that begins in the middle of a log: fold the events after `since` into it. What holds now stands in the
 * session's `init`, and older turns are left to `history`.
 */
export function conversationAt(init: SessionAnswerOf<"init">, since: number): Conversation {
  const { state, title, mode, model, effort, context, last_seq } = init;
  return {
    ...emptyConversation,
    seq: since,
    omitted: since > 0,
    openTurn: init.turn_id,
    pending: init.pending,
    state,
    title,
    mode,
    model,
    effort,
    context,
    costUsd: init.cost_usd ?? 0,
    costSeq: last_seq,
    mcpServers: init.mcp_servers ?? [],
    backgroundTasks: init.background_tasks ?? [],
    grants: init.grants ?? [],
    todo: init.todo ?? [],
    offeredTools: init.offered_tools ?? [],
  };
}
