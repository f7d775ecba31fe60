import type { SDKSystemMessage } from "@anthropic-ai/claude-agent-sdk";
import type { ConversationState } from "./normaliser-state.ts";
import type { Emit } from "./emit-event.ts";
import { textOf, textsOf } from "./read-leniently.ts";

/** `init` opens every turn; only the first one of a process is reported in full. */
export function takeInit(message: SDKSystemMessage, state: ConversationState, emit: Emit): void {
  if (!state.ready) {
    emit({
      type: "ready",
      session_id: textOf(message.session_id),
      model: textOf(message.model),
      mode: textOf(message.permissionMode),
      cli_version: textOf(message.claude_code_version),
      tools: textsOf(message.tools),
      slash_commands: textsOf(message.slash_commands),
      capabilities: textsOf(message.capabilities),
    });
    state.ready = true;
    state.sessionId ??= message.session_id;
    state.model = message.model;
    state.mode = message.permissionMode;
  }
  changeSession(message.session_id, state, emit);
  changeModel(message.model, state, emit);
  changeMode(message.permissionMode, state, emit);
  const servers = (message.mcp_servers ?? []).map(({ name, status }) => ({ name, status }));
  const seen = JSON.stringify(servers);
  if (seen !== state.mcpServers) {
    state.mcpServers = seen;
    emit({ type: "mcp_status", servers });
  }
  state.failure = undefined;
  state.streamed.beginTurn();
  emit({ type: "turn_started", messages: state.taken.splice(0) });
}

function changeSession(id: string | undefined, state: ConversationState, emit: Emit): void {
  const previous = state.sessionId;
  if (!id || !previous || previous === id) return;
  state.sessionId = id;
  emit({ type: "session_changed", session_id: id, previous });
}

export function changeModel(model: string | undefined, state: ConversationState, emit: Emit): void {
  if (!model || state.model === model) return;
  state.model = model;
  emit({ type: "model_changed", model });
}

export function changeMode(mode: string | undefined, state: ConversationState, emit: Emit): void {
  if (!mode || state.mode === mode) return;
  state.mode = mode;
  emit({ type: "mode_changed", mode });
}
