import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import type { EngineEvent } from "../events.ts";
import { normaliseAssistant } from "./assistant-messages.ts";
import { ConversationState } from "./normaliser-state.ts";
import type { Emit } from "./emit-event.ts";
import { asJson, debugOf, fromSubagent } from "./emit-event.ts";
import { countOf, knownWord, textOf, textsOf } from "./read-leniently.ts";
import { normaliseResult } from "./end-of-turn.ts";
import { retryEvent } from "./retry-event.ts";
import { normaliseSystem } from "./system-messages.ts";

/** Outside the SDK's own union, yet sent for every message that carries a uuid. */
interface CommandLifecycle {
  type: "command_lifecycle";
  command_uuid: string;
  state: string;
}

const lifecycleStates = ["queued", "started", "completed", "cancelled"] as const;

/**
 * Turns the SDK's messages into events, in order. A message that it does not know or cannot read becomes a `debug`
 * event: the CLI changes its messages with every release, and none of them may end a session.
 */
export class Normaliser {
  readonly #state: ConversationState;
  readonly #emit: Emit;

  /** @param sessionId the session that the CLI was started for, if any: `/clear` may come before `init`. */
  constructor(emit: Emit, sessionId?: string) {
    this.#emit = emit;
    this.#state = new ConversationState(sessionId);
  }

  take(message: SDKMessage | CommandLifecycle): void {
    const events: EngineEvent[] = [];
    try {
      this.#read(message, (event) => events.push(event));
    } catch (thrown) {
      events.push(debugOf(message, String(thrown)));
    }
    for (const event of events) this.#emit(event);
  }

  #read(message: SDKMessage | CommandLifecycle, emit: Emit): void {
    switch (message.type) {
      case "stream_event":
        this.#state.streamed.take(message, emit);
        break;
      case "assistant":
        normaliseAssistant(message, this.#state, emit);
        break;
      case "user":
        readUser(message, emit);
        break;
      case "system":
        normaliseSystem(message, this.#state, emit);
        break;
      case "result":
        normaliseResult(message, this.#state, emit);
        break;
      case "command_lifecycle":
        readLifecycle(message, this.#state, emit);
        break;
      case "tool_progress":
        emit(progressEvent(message));
        break;
      case "tool_use_summary":
        emit({
          type: "tool_summary",
          request_ids: textsOf(message.preceding_tool_use_ids),
          text: textOf(message.summary),
        });
        break;
      case "conversation_reset":
        readReset(message, this.#state, emit);
        break;
      case "rate_limit_event":
        readRateLimit(message, emit);
        break;
      case "auth_status":
        readAuthStatus(message, emit);
        break;
      case "prompt_suggestion":
        emit({ type: "prompt_suggestion", text: textOf(message.suggestion) });
        break;
      default:
        emit(debugOf(message));
    }
  }
}

type ProgressMessage = Extract<SDKMessage, { type: "tool_progress" }>;
type ResetMessage = Extract<SDKMessage, { type: "conversation_reset" }>;
type UserMessage = Extract<SDKMessage, { type: "user" }>;
type AuthMessage = Extract<SDKMessage, { type: "auth_status" }>;
type RateLimitMessage = Extract<SDKMessage, { type: "rate_limit_event" }>;

/** Of the `user` messages only tool results are new; we sent the rest ourselves. */
function readUser(
  { message, parent_tool_use_id: parent, tool_use_result: detail }: UserMessage,
  emit: Emit,
): void {
  if (typeof message.content === "string") return;
  for (const block of message.content) {
    if (block.type !== "tool_result") continue;
    emit({
      type: "tool_result",
      request_id: block.tool_use_id,
      output: asJson(block.content ?? ""),
      is_error: block.is_error === true,
      ...(detail !== undefined && { detail: asJson(detail) }),
      ...fromSubagent(parent),
    });
  }
}

/** For a call of an MCP server that is long silent, the CLI makes up an id, and names the call as the parent. */
const HEARTBEAT = /^(.+)-heartbeat-\d+$/;

/** A repeated request of a sub-agent's model has the same form, under an id that no call has. */
function progressEvent(message: ProgressMessage): EngineEvent {
  const { tool_use_id: request_id, parent_tool_use_id: parent, subagent_retry: retry } = message;
  if (!retry) {
    const elapsed_ms = Math.round(countOf(message.elapsed_time_seconds) * 1000);
    const { tool_name: tool } = message;
    const [, call] = HEARTBEAT.exec(request_id) ?? [];
    if (call !== undefined && call === parent) {
      return { type: "tool_progress", request_id: call, tool, elapsed_ms };
    }
    return { type: "tool_progress", request_id, tool, elapsed_ms, ...fromSubagent(parent) };
  }
  return { ...retryEvent(retry, retry.error_category), parent: parent ?? request_id };
}

/** The last message of a session; the next `init` names the new one. */
function readReset(message: ResetMessage, state: ConversationState, emit: Emit): void {
  const { session_id, trigger: cause } = message;
  state.sessionId ??= session_id;
  emit({ type: "conversation_reset", ...(cause !== undefined && { cause }) });
}

function readLifecycle(
  message: CommandLifecycle,
  { queued, taken }: ConversationState,
  emit: Emit,
) {
  const { command_uuid: id } = message;
  const state = knownWord(lifecycleStates, message.state);
  if (state === "queued") queued.add(id);
  // The CLI counts messages of its own as well, such as the one that resumes a cut turn.
  if (!queued.has(id)) return emit(debugOf(message));
  if (state === "started") taken.push(id);
  if (state === "completed" || state === "cancelled") queued.delete(id);
  emit({ type: "message_state", id, state });
}

function readAuthStatus(message: AuthMessage, emit: Emit): void {
  const { isAuthenticating: authenticating, output, error } = message;
  emit({
    type: "auth_status",
    authenticating,
    output: textsOf(output),
  });
  if (!error) return;
  emit({
    type: "notice",
    code: "cli_message",
    level: "warning",
    message: `Claude Code could not sign in: ${error}`,
  });
}

function readRateLimit({ rate_limit_info: info }: RateLimitMessage, emit: Emit): void {
  emit({
    type: "rate_limit",
    status: info.status,
    ...(info.resetsAt !== undefined && {
      resets_at: new Date(info.resetsAt * 1000).toISOString(),
    }),
    ...(info.rateLimitType !== undefined && { kind: info.rateLimitType }),
    ...(info.utilization !== undefined && { utilization: info.utilization }),
  });
}
