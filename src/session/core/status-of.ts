import type { EventLog } from "../log/event-log.ts";
import { pendingOf } from "../../session-state/pending.ts";
import type { PendingRequest } from "../../wire/session/approval-events.ts";
import type { StatusFields } from "./session-types.ts";

/** What the log alone tells of a session's status. */
export function statusOf({
  state,
  logId: log_id,
  epoch,
  lastSeq: last_seq,
}: EventLog): Omit<StatusFields, "session_id" | "queued" | "cwd" | "mode" | "slash_commands"> {
  return {
    log_id,
    epoch,
    last_seq,
    state: state.activity,
    ...(state.turn && { turn_id: state.turn.turnId }),
    pending: pendingOf(state).map((request) => withTimeLeft(request)),
    ...(state.model !== undefined && { model: state.model }),
    ...(state.effort !== undefined && { effort: state.effort }),
    ...(state.context && { context: state.context }),
    cost_usd: state.costUsd,
    ...(state.mcpServers && { mcp_servers: [...state.mcpServers] }),
    ...(state.backgroundTasks.length > 0 && { background_tasks: [...state.backgroundTasks] }),
  };
}

/** The deadline counts from now on, for a client whose clock is wrong. */
function withTimeLeft(request: PendingRequest): PendingRequest {
  if (!("deadline" in request) || request.deadline === undefined) return request;
  const leftMs = Date.parse(request.deadline) - Date.now();
  return { ...request, remaining_ms: Math.max(Math.round(leftMs), 0) };
}
