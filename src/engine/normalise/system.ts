import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import type { ConversationState } from "./conversation-state.ts";
import type { Emit } from "./emit.ts";
import type { BackgroundTaskEvent, HookEvent, StateEvent } from "../events.ts";
import { debugOf } from "./emit.ts";
import { classifyFailure } from "./failures.ts";
import { changeMode, changeModel, takeInit } from "./init.ts";
import { countOf, knownWord } from "./lenient.ts";

type SystemMessage = Extract<SDKMessage, { type: "system" }>;
/** Outside the SDK's own union, yet sent when another model takes over because the chosen one is busy. */
interface ModelFallback {
  type: "system";
  subtype: "model_fallback";
  fallback_model: string;
  scope?: "session" | "local";
}

/** The CLI's messages about itself: start, state, retries, compaction, background tasks. */
export function normaliseSystem(
  message: SystemMessage | ModelFallback,
  state: ConversationState,
  emit: Emit,
): void {
  switch (message.subtype) {
    case "init":
      takeInit(message, state, emit);
      break;
    case "session_state_changed":
      emit({ type: "state", state: stateOf(message.state) });
      break;
    case "status":
      if (message.status === "compacting") emit({ type: "compacting" });
      changeMode(message.permissionMode, state, emit);
      break;
    case "api_retry":
      emit({
        type: "retry",
        attempt: countOf(message.attempt),
        max: countOf(message.max_retries),
        delay_ms: Math.round(countOf(message.retry_delay_ms)),
        ...(typeof message.error_status === "number" && { status: message.error_status }),
        code: classifyFailure({ apiError: message.error, status: message.error_status }),
      });
      break;
    case "compact_boundary": {
      const { trigger, pre_tokens, post_tokens } = message.compact_metadata;
      emit({
        type: "compacted",
        trigger,
        pre_tokens,
        ...(post_tokens !== undefined && { post_tokens }),
      });
      break;
    }
    case "permission_denied":
      emit({
        type: "tool_denied",
        request_id: message.tool_use_id,
        tool: message.tool_name,
        reason: message.message,
      });
      break;
    case "model_refusal_no_fallback":
      state.failure = { apiError: "refusal", text: message.content };
      break;
    case "model_fallback":
    case "model_refusal_fallback":
      // A sub-agent that fell back leaves the session's own model as it is.
      if (message.scope !== "local") changeModel(message.fallback_model, state, emit);
      break;
    case "task_started":
    case "task_progress":
    case "task_notification":
      emit(taskEvent(message));
      break;
    case "hook_started":
    case "hook_progress":
    case "hook_response":
      emit(hookEvent(message));
      break;
    case "thinking_tokens":
      emit({ type: "thinking_progress", tokens: countOf(message.estimated_tokens) });
      break;
    case "commands_changed":
      emit({ type: "commands_changed", commands: message.commands.map(({ name }) => name) });
      break;
    case "local_command_output":
      emit({ type: "text_delta", block: state.streamed.nextBlock(), text: message.content });
      break;
    case "informational":
      emit({ type: "notice", code: "cli_message", message: message.content });
      break;
    case "notification":
      emit({ type: "notice", code: "cli_message", message: message.text });
      break;
    case "session_writes_lost":
      emit({
        type: "notice",
        code: "transcript_not_saved",
        message: `Claude Code could not save ${message.lost.join(" and ")}: ${message.error_code}.`,
      });
      break;
    default:
      emit(debugOf(message));
  }
}

function stateOf(state: string): StateEvent["state"] {
  return state === "requires_action" ? "waiting" : knownWord(["idle", "running"], state);
}

type TaskMessage = Extract<
  SystemMessage,
  { subtype: "task_started" | "task_progress" | "task_notification" }
>;

function taskEvent(message: TaskMessage): BackgroundTaskEvent {
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

type HookMessage = Extract<
  SystemMessage,
  { subtype: "hook_started" | "hook_progress" | "hook_response" }
>;

function hookEvent(message: HookMessage): HookEvent {
  const { hook_id, hook_name: name, hook_event: event } = message;
  const common = { type: "hook", hook_id, name, event } as const;
  if (message.subtype === "hook_started") return { ...common, state: "started" };
  const { output } = message;
  if (message.subtype === "hook_progress") return { ...common, state: "progress", output };
  const state = knownWord(["success", "error", "cancelled"], message.outcome);
  return { ...common, state, output };
}
