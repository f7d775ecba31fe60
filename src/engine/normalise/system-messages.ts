import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import type { ConversationState } from "./normaliser-state.ts";
import type { Emit } from "./emit-event.ts";
import type { HookEvent, StateEvent } from "../events.ts";
import { cliNoticeEvent } from "./cli-notices.ts";
import { debugOf } from "./emit-event.ts";
import { changeMode, changeModel, takeInit } from "./take-init-message.ts";
import { countOf, knownWord, textOf } from "./read-leniently.ts";
import { retryEvent } from "./retry-event.ts";
import { taskChangedEvent, taskEvent, tasksEvent } from "./background-task-events.ts";

type SystemMessage = Extract<SDKMessage, { type: "system" }>;
/** Not part of the SDK's union, but sent when another model replaces a busy one. */
interface ModelFallback {
  type: "system";
  subtype: "model_fallback";
  original_model: string;
  fallback_model: string;
  scope?: "session" | "local";
  content?: string;
}
/** Not part of it either. */
interface TitleChanged {
  type: "system";
  subtype: "session_title_changed";
  title: string;
}

/** The CLI's messages about itself: start, state, retries, compaction, background tasks. */
export function normaliseSystem(
  message: SystemMessage | ModelFallback | TitleChanged,
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
      readStatus(message, state, emit);
      break;
    case "api_retry":
      emit(retryEvent(message, message.error));
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
        ...(message.agent_id !== undefined && { agent_id: message.agent_id }),
      });
      break;
    case "model_refusal_no_fallback":
      state.failure = { apiError: "refusal", text: message.content };
      break;
    case "model_refusal_fallback":
      state.streamed.takeBack(message.retracted_message_uuids, emit);
      takeFallback(message, state, emit);
      break;
    case "model_fallback":
      takeFallback(message, state, emit);
      break;
    case "task_started":
    case "task_progress":
    case "task_notification":
      emit(taskEvent(message));
      break;
    case "task_updated":
      emit(taskChangedEvent(message));
      break;
    case "background_tasks_changed":
      emit(tasksEvent(message));
      break;
    case "session_title_changed":
      emit({ type: "title_changed", title: textOf(message.title) });
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
    case "session_writes_lost":
      emit({
        type: "notice",
        code: "transcript_not_saved",
        message: `Claude Code could not save ${message.lost.join(" and ")}: ${message.error_code}.`,
      });
      break;
    case "mirror_error":
      emit({
        type: "notice",
        code: "transcript_not_saved",
        message: `Claude Code could not copy its transcript: ${textOf(message.error)}`,
      });
      break;
    case "informational":
    case "notification":
    case "plugin_install":
    case "files_persisted":
    case "memory_recall":
    case "elicitation_complete":
    case "worker_shutting_down":
    case "control_request_progress":
      emit(cliNoticeEvent(message));
      break;
    default:
      emit(debugOf(message));
  }
}

type StatusMessage = Extract<SystemMessage, { subtype: "status" }>;

function readStatus(message: StatusMessage, state: ConversationState, emit: Emit): void {
  const compacting = message.status === "compacting";
  if (compacting && !state.compacting) emit({ type: "compacting" });
  state.compacting = compacting;
  if (message.status === "requesting") {
    emit({ type: "progress", of: "model_request", state: "started" });
  } else if (message.status && !compacting) {
    emit(debugOf(message));
  }
  if (message.compact_result === "failed") {
    emit({
      type: "notice",
      code: "compaction_failed",
      message: textOf(message.compact_error) || "The conversation could not be compacted.",
      hint: "The conversation continues unchanged. Send /compact again, or /clear to start a new one.",
    });
  }
  changeMode(message.permissionMode, state, emit);
}

type Fallback = ModelFallback | Extract<SystemMessage, { subtype: "model_refusal_fallback" }>;

/** A sub-agent's fallback leaves the session's own model unchanged. */
function takeFallback(message: Fallback, state: ConversationState, emit: Emit): void {
  const { scope = "session" } = message;
  const original_model = textOf(message.original_model);
  const fallback_model = textOf(message.fallback_model);
  if (scope !== "local") changeModel(fallback_model, state, emit);
  emit({
    type: "notice",
    code: "model_fallback",
    level: "warning",
    message: textOf(message.content) || `${fallback_model} answers in place of ${original_model}.`,
    data: { original_model, fallback_model, scope },
  });
}

function stateOf(state: string): StateEvent["state"] {
  return state === "requires_action" ? "waiting" : knownWord(["idle", "running"], state);
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
