import type { BackgroundTaskEvent, EngineEvent, ToolResultEvent } from "../../../engine/events.ts";
import type { EventDraft } from "../../log/log-batch.ts";
import type { SessionState } from "../../state/session-state.ts";

/** A sub-agent begins or ends. Commands in the background are tasks too, but no agents: see `translateTasks`. */
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
  const isEnd = event.state !== "started" && event.state !== "progress";
  if (!isEnd || !state.subagents.has(request_id)) return [];
  return [
    {
      type: "subagent_ended",
      request_id,
      outcome: event.state as "completed" | "failed" | "stopped",
      ...(description !== undefined && { summary: description }),
      ...event.spent,
      ...mark,
    },
  ];
}

/** A sub-agent that the turn waits for is not told as a task: its first deed shows that it is there. */
export function startedByDeed(event: EngineEvent, state: SessionState): EventDraft[] {
  const parent = "parent" in event ? event.parent : undefined;
  if (parent === undefined || state.subagents.has(parent)) return [];
  const call = state.calls.get(parent);
  if (!call) return [];
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

/** The turn has waited for it, and here is its result. */
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
