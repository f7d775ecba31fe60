import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import type { Emit } from "./emit.ts";
import { ConversationState } from "./conversation-state.ts";
import { asJson, fromSubagent } from "./emit.ts";
import type { MessageStateEvent } from "../events.ts";
import { normaliseAssistant } from "./assistant.ts";
import { normaliseResult } from "./result.ts";
import { changeSession } from "./init.ts";
import { normaliseSystem } from "./system.ts";

/** Outside the SDK's own union, yet sent for every message that carries a uuid. */
interface CommandLifecycle {
  type: "command_lifecycle";
  command_uuid: string;
  state: MessageStateEvent["state"];
}

/**
 * Turns the messages of the SDK into events, in order. What it does not know becomes a `debug` event:
 * the CLI gains message types with every release, and none of them may end a session.
 */
export class Normaliser {
  readonly #state = new ConversationState();
  readonly #emit: Emit;

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  take(message: SDKMessage | CommandLifecycle): void {
    switch (message.type) {
      case "stream_event":
        this.#state.streamed.take(message, this.#emit);
        break;
      case "assistant":
        normaliseAssistant(message, this.#state, this.#emit);
        break;
      case "user":
        this.#takeUser(message);
        break;
      case "system":
        normaliseSystem(message, this.#state, this.#emit);
        break;
      case "result":
        normaliseResult(message, this.#state, this.#emit);
        break;
      case "command_lifecycle":
        if (message.state === "started") this.#state.taken.push(message.command_uuid);
        this.#emit({ type: "message_state", id: message.command_uuid, state: message.state });
        break;
      case "tool_progress":
        this.#emit({
          type: "tool_progress",
          request_id: message.tool_use_id,
          tool: message.tool_name,
          elapsed_ms: Math.round(message.elapsed_time_seconds * 1000),
          ...fromSubagent(message.parent_tool_use_id),
        });
        break;
      case "rate_limit_event":
        this.#takeRateLimit(message);
        break;
      case "conversation_reset":
        changeSession(message.new_conversation_id, this.#state, this.#emit);
        break;
      default:
        this.#emit({ type: "debug", sdk_type: message.type, message: asJson(message) });
    }
  }

  /** Of what stands in the user's place only the results of tools are news; the rest we sent ourselves. */
  #takeUser({ message, parent_tool_use_id: parent, tool_use_result: detail }: UserMessage): void {
    if (typeof message.content === "string") return;
    for (const block of message.content) {
      if (block.type !== "tool_result") continue;
      this.#emit({
        type: "tool_result",
        request_id: block.tool_use_id,
        output: asJson(block.content ?? ""),
        is_error: block.is_error === true,
        ...(detail !== undefined && { detail: asJson(detail) }),
        ...fromSubagent(parent),
      });
    }
  }

  #takeRateLimit({ rate_limit_info: info }: RateLimitMessage): void {
    this.#emit({
      type: "rate_limit",
      status: info.status,
      ...(info.resetsAt !== undefined && {
        resets_at: new Date(info.resetsAt * 1000).toISOString(),
      }),
      ...(info.rateLimitType !== undefined && { kind: info.rateLimitType }),
    });
  }
}

type UserMessage = Extract<SDKMessage, { type: "user" }>;
type RateLimitMessage = Extract<SDKMessage, { type: "rate_limit_event" }>;
