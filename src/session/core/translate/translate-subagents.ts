import type { BackgroundTaskEvent, EngineEvent, ToolResultEvent } from "../../../engine/index.ts";
import type { EventDraft } from "../../log/event-draft.ts";
import type { SessionState } from "../../../session-state/session-state.ts";
import { MAX_DESCRIPTION_CHARS } from "./translate-background-tasks.ts";
import { cutText } from "../../../text/cut-text.ts";

/**
 * A sub-agent starts, makes progress or ends. Background commands are tasks too, but not agents: see
 * `translateTasks`.
 */
export function translateTask(event: BackgroundTaskEvent, state: SessionState): EventDraft[] {
  const { request_id, description } = event;
  if (request_id === undefined) return [];
  const parent = state.calls.get(request_id)?.parent ?? state.subagents.get(request_id)?.parent;
  const mark = parent === undefined ? {} : { parent };
  if (event.state === "started" && event.kind === "local_agent") {
    return [
      {
        type: "subagent_started",
        request_id,
        ...(event.agent !== undefined && { agent: event.agent }),
        ...(description !== undefined && { description }),
        background: event.background === true,
        ...mark,
      },
    ];
  }
  if (!state.subagents.has(request_id) || event.state === "started") return [];
  if (event.state === "progress") return [{ ...progressOf(event, request_id), ...mark }];
  return [
    {
      type: "subagent_ended",
      request_id,
      outcome: event.state,
      ...(description !== undefined && { summary: description }),
      ...event.spent,
      ...mark,
    },
  ];
}

function progressOf(event: BackgroundTaskEvent, request_id: string): EventDraft {
  const { spent, last_tool } = event;
  const message = event.summary ?? event.description;
  return {
    type: "tool_progress",
    request_id,
    ...(message !== undefined && { message: cutText(message, MAX_DESCRIPTION_CHARS) }),
    ...(last_tool !== undefined && { last_tool }),
    ...(spent && {
      elapsed_ms: spent.duration_ms,
      total_tokens: spent.total_tokens,
      tool_uses: spent.tool_uses,
    }),
  };
}

/**
 * The CLI does not report a sub-agent that the turn waits for as a task: its first event shows that it has started.
 */
export function startedByDeed(event: EngineEvent, state: SessionState): EventDraft[] {
  const parent = "parent" in event ? event.parent : undefined;
  if (parent === undefined || state.subagents.has(parent)) return [];
  const call = state.calls.get(parent);
  // A call of an MCP tool has no agent: events that name it as their parent are about the call itself.
  if (!call || call.tool.startsWith("mcp__")) return [];
  const { subagent_type: agent, description } = call.input;
  return [
    {
      type: "subagent_started",
      request_id: parent,
      ...(typeof agent === "string" && { agent }),
      ...(typeof description === "string" && { description }),
      background: false,
      ...(call.parent !== undefined && { parent: call.parent }),
    },
  ];
}

/** The turn waited for the sub-agent, and this is its result. */
export function endedByResult(event: ToolResultEvent, state: SessionState): EventDraft[] {
  const started = state.subagents.get(event.request_id);
  if (!started || started.background) return [];
  return [
    {
      type: "subagent_ended",
      request_id: event.request_id,
      outcome: event.is_error ? "failed" : "completed",
      ...(started.parent !== undefined && { parent: started.parent }),
    },
  ];
}

/** The CLI is gone, and all its sub-agents with it. */
export const endedSubagents = ({ subagents }: SessionState): EventDraft[] =>
  [...subagents.values()].map(({ request_id, parent }) => ({
    type: "subagent_ended",
    request_id,
    outcome: "stopped",
    ...(parent !== undefined && { parent }),
  }));
