import type { EventLog } from "../log/event-log.ts";
import { pendingOf } from "../../session-state/pending-requests.ts";
import type { PendingRequest } from "../../wire/session/approval-events.ts";
import type { Choices } from "../../wire/session/choices.ts";
import type { ToolOffer } from "../../wire/session/offered-tools.ts";
import type { StatusFields } from "./session-types.ts";

/** What only a session's process knows. */
type OfProcess = "session_id" | "queued" | "cwd" | "added_directories" | "mode" | keyof Choices;

/** What the log alone tells of a session's status. */
export function statusOf({
  state,
  logId: log_id,
  epoch,
  lastSeq: last_seq,
}: EventLog): Omit<StatusFields, OfProcess> {
  return {
    log_id,
    epoch,
    last_seq,
    state: state.activity,
    ...(state.turn && { turn_id: state.turn.turnId }),
    pending: pendingOf(state).map((request) => withTimeLeft(request)),
    ...(state.title !== undefined && { title: state.title }),
    ...(state.model !== undefined && { model: state.model }),
    ...(state.effort !== undefined && { effort: state.effort }),
    ...(state.context && { context: state.context }),
    cost_usd: state.costUsd,
    ...(state.mcpServers && { mcp_servers: [...state.mcpServers] }),
    ...(state.todo && { todo: state.todo.items }),
    ...(state.offers.size > 0 && { offered_tools: [...state.offers.values()].map(offerOf) }),
    ...(state.given.size > 0 && { grants: [...state.given.values()] }),
    ...(state.continuation &&
      !state.continuation.sent && {
        continuation: {
          due: state.continuation.planned.due,
          messages: [...state.continuation.planned.messages],
          id: state.continuation.planned.id,
        },
      }),
    ...(state.backgroundTasks.length > 0 && { background_tasks: [...state.backgroundTasks] }),
  };
}

const offerOf = ({ client, namespace, tools }: ToolOffer): ToolOffer => ({
  client,
  namespace,
  tools,
});

/** The deadline counts from now on, for a client whose clock is wrong. */
function withTimeLeft(request: PendingRequest): PendingRequest {
  if (!("deadline" in request) || request.deadline === undefined) return request;
  const leftMs = Date.parse(request.deadline) - Date.now();
  return { ...request, remaining_ms: Math.max(Math.round(leftMs), 0) };
}
