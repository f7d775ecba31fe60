import type { BackgroundTaskEvent } from "../../../engine/events.ts";
import type { EventDraft } from "../../log/log-batch.ts";
import type { SessionState } from "../../state/session-state.ts";

/** A sub-agent begins or ends. Commands in the background are tasks too, but no agents. */
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

/** The CLI is gone, and all its sub-agents with it. */
export const endedSubagents = ({ subagents }: SessionState): EventDraft[] =>
  [...subagents.values()].map(({ request_id, parent }) => ({
    type: "subagent_ended",
    request_id,
    outcome: "stopped",
    ...(parent !== undefined && { parent }),
  }));
