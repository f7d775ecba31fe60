import { expect, test } from "vitest";
import type { SessionEvent } from "../wire/session/events.ts";
import { conversationAt } from "./conversation-at.ts";
import type { Conversation } from "./conversation.ts";
import { emptyConversation } from "./conversation.ts";
import { fold } from "./fold-conversation.ts";

const grant = { destination: "session", rules: [{ toolName: "Bash", ruleContent: "ls" }] };
const done = (turn_id: string) => ({
  type: "done",
  turn_id,
  messages: [],
  usage: { input_tokens: 2, output_tokens: 3 },
  cost_usd: 0.5,
  duration_ms: 1,
  stop_reason: "completed",
});
const asked = { request_id: "q", turn_id: "t2", questions: [] };
const log = [
  { type: "mode_changed", mode: "plan" },
  { type: "model_changed", model: "m", effort: "high" },
  { type: "title_changed", title: "One" },
  { type: "turn_started", turn_id: "t1", messages: [], cause: "message" },
  { type: "background_tasks", tasks: [{ task_id: "b", kind: "local_bash", description: "d" }] },
  { type: "usage", turn_id: "t1", usage: done("t1").usage, context: { tokens: 1, window: 9 } },
  { type: "mcp_status", servers: [{ name: "s", status: "connected" }] },
  {
    type: "approval_resolved",
    request_id: "r",
    outcome: "allowed",
    scope: "session",
    granted: [grant],
  },
  { type: "todo", items: [{ content: "look", status: "pending" }] },
  { type: "tools_offered", client: "c", namespace: "n", tools: ["t"] },
  done("t1"),
  { type: "turn_started", turn_id: "t2", messages: [], cause: "message" },
  { type: "status", turn_id: "t2", state: "waiting" },
  { type: "question", ...asked },
  { type: "title_changed", title: "Two" },
  { type: "status", turn_id: "t2", state: "running" },
  { type: "approval_resolved", request_id: "q", outcome: "allowed" },
  done("t2"),
].map((draft, index) => ({ ...draft, seq: index + 1, at: "2026" }) as SessionEvent);

/** What the host says of itself after so many events, as far as a conversation has it. */
function initAt(upto: number) {
  const now = fold(emptyConversation, log.slice(0, upto));
  return {
    last_seq: upto,
    turn_id: now.openTurn,
    cost_usd: now.costUsd,
    state: now.state,
    pending: [...now.pending],
    ...(now.title !== undefined && { title: now.title }),
    mode: now.mode,
    model: now.model,
    effort: now.effort,
    context: now.context,
    mcp_servers: now.mcpServers,
    background_tasks: now.backgroundTasks,
    grants: now.grants,
    todo: now.todo,
    offered_tools: now.offeredTools,
  } as unknown as Parameters<typeof conversationAt>[0];
}

/** All but what depends on where the conversation begins. */
const settings = (conversation: Conversation) => ({
  ...conversation,
  items: [],
  turns: undefined,
  omitted: undefined,
  costSeq: undefined,
});

test("conversationAt gives what holds now, wherever in the log it begins", () => {
  const whole = settings(fold(emptyConversation, log));
  expect(whole).toMatchObject({ title: "Two", costUsd: 1, pending: [], openTurn: undefined });
  for (let upto = 3; upto <= log.length; upto += 1) {
    for (let since = 0; since <= upto; since += 1) {
      const begun = conversationAt(initAt(upto), since);
      expect(begun.omitted).toBe(since > 0);
      const now = fold(begun, log.slice(since, upto));
      expect(settings(now)).toEqual(settings(fold(emptyConversation, log.slice(0, upto))));
      expect(settings(fold(now, log.slice(upto)))).toEqual(whole);
    }
  }
});
