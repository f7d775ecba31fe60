import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import type {
  BackgroundTaskChangedEvent,
  BackgroundTaskEvent,
  BackgroundTasksEvent,
  TaskSpending,
} from "../events.ts";
import { isRecord } from "../../wire/json.ts";
import { countOf, knownWord } from "./read-leniently.ts";

type SystemMessage = Extract<SDKMessage, { type: "system" }>;
type TaskMessage = Extract<
  SystemMessage,
  { subtype: "task_started" | "task_progress" | "task_notification" }
>;

export function taskEvent(message: TaskMessage): BackgroundTaskEvent {
  const event: BackgroundTaskEvent = {
    type: "background_task",
    task_id: message.task_id,
    state: "progress",
  };
  if (message.tool_use_id !== undefined) event.request_id = message.tool_use_id;
  if (message.subtype === "task_notification") {
    const { summary: description, output_file, usage } = message;
    const state = knownWord(["completed", "failed", "stopped"], message.status);
    return { ...event, state, description, output_file, ...spentBy(usage) };
  }
  event.description = message.description;
  if (message.subtype === "task_progress") {
    const { summary, last_tool_name: last_tool, usage } = message;
    return {
      ...event,
      ...(summary !== undefined && { summary }),
      ...(last_tool !== undefined && { last_tool }),
      ...spentBy(usage),
    };
  }
  const { task_type: kind, subagent_type: agent, is_backgrounded: background } = message;
  return {
    ...event,
    state: "started",
    ...(kind !== undefined && { kind }),
    ...(agent !== undefined && { agent }),
    ...(background !== undefined && { background }),
  };
}

function spentBy(usage: unknown): { spent?: TaskSpending } {
  if (!isRecord(usage)) return {};
  return {
    spent: {
      total_tokens: countOf(usage["total_tokens"]),
      tool_uses: countOf(usage["tool_uses"]),
      duration_ms: countOf(usage["duration_ms"]),
    },
  };
}

type TaskUpdated = Extract<SystemMessage, { subtype: "task_updated" }>;

export function taskChangedEvent({ task_id, patch }: TaskUpdated): BackgroundTaskChangedEvent {
  const { status, description, is_backgrounded: background, error } = patch;
  return {
    type: "background_task_changed",
    task_id,
    ...(status !== undefined && { status }),
    ...(description !== undefined && { description }),
    ...(background !== undefined && { background }),
    ...(error !== undefined && { error }),
  };
}

type TasksChanged = Extract<SystemMessage, { subtype: "background_tasks_changed" }>;

export function tasksEvent({ tasks }: TasksChanged): BackgroundTasksEvent {
  return {
    type: "background_tasks",
    tasks: tasks.map(({ task_id, task_type: kind, description, subagent_type: agent }) => ({
      task_id,
      kind,
      description,
      ...(agent !== undefined && { agent }),
    })),
  };
}
