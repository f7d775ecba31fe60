import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import type {
  BackgroundTaskChangedEvent,
  BackgroundTaskEvent,
  BackgroundTasksEvent,
} from "../events.ts";
import { knownWord } from "./lenient.ts";

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
    const { summary: description, output_file, usage: spent } = message;
    const state = knownWord(["completed", "failed", "stopped"], message.status);
    return { ...event, state, description, output_file, ...(spent && { spent }) };
  }
  event.description = message.description;
  if (message.subtype === "task_progress") return event;
  const { task_type: kind, subagent_type: agent, is_backgrounded: background } = message;
  return {
    ...event,
    state: "started",
    ...(kind !== undefined && { kind }),
    ...(agent !== undefined && { agent }),
    ...(background !== undefined && { background }),
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
