import type { SDKSystemMessage } from "@anthropic-ai/claude-agent-sdk";
import type { ConversationState } from "./conversation-state.ts";
import type { Emit } from "./emit.ts";

/** `init` opens every turn; only the first one of a process is news as a whole. */
export function takeInit(message: SDKSystemMessage, state: ConversationState, emit: Emit): void {
  if (state.sessionId === undefined) {
    emit({
      type: "ready",
      session_id: message.session_id,
      model: message.model,
      mode: message.permissionMode,
      cli_version: message.claude_code_version,
      tools: message.tools,
      slash_commands: message.slash_commands,
      capabilities: message.capabilities ?? [],
    });
    state.sessionId = message.session_id;
    state.model = message.model;
    state.mode = message.permissionMode;
  }
  changeSession(message.session_id, state, emit);
  changeModel(message.model, state, emit);
  changeMode(message.permissionMode, state, emit);
  const servers = message.mcp_servers.map(({ name, status }) => ({ name, status }));
  const seen = JSON.stringify(servers);
  if (seen !== state.mcpServers) {
    state.mcpServers = seen;
    emit({ type: "mcp_status", servers });
  }
  state.failure = undefined;
  state.streamed.beginTurn();
  emit({ type: "turn_started", messages: state.taken.splice(0) });
}

export function changeSession(id: string, state: ConversationState, emit: Emit): void {
  const previous = state.sessionId;
  if (previous === undefined || previous === id) return;
  state.sessionId = id;
  emit({ type: "session_changed", session_id: id, previous });
}

export function changeModel(model: string, state: ConversationState, emit: Emit): void {
  if (state.model === model) return;
  state.model = model;
  emit({ type: "model_changed", model });
}

export function changeMode(mode: string, state: ConversationState, emit: Emit): void {
  if (state.mode === mode) return;
  state.mode = mode;
  emit({ type: "mode_changed", mode });
}
