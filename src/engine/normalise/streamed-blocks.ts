import type { SDKPartialAssistantMessage } from "@anthropic-ai/claude-agent-sdk";
import type { Retracted } from "../events.ts";
import type { Emit } from "./emit-event.ts";
import { debugOf } from "./emit-event.ts";
import { countOf, textOf, textsOf } from "./read-leniently.ts";

/** They prove and annotate what other deltas contain. */
const silent: ReadonlySet<string> = new Set(["signature_delta", "citations_delta"]);

interface OpenTool {
  request_id: string;
  tool: string;
}

/**
 * Follows the current stream, so that complete blocks, which the CLI sends after the deltas, are not reported twice,
 * and so that an answer that was cut and begins again is noticed.
 */
export class StreamedBlocks {
  #messageId: string | undefined;
  /** How many blocks of the turn have been reported. */
  #blocks = 0;
  /** The block that is being reported and that no complete block has confirmed yet. */
  #unconfirmed: Retracted | undefined;
  readonly #tools = new Map<number, OpenTool>();
  /** What each message of the turn has reported, by its uuid: the CLI may retract a message. */
  readonly #told = new Map<string, Retracted[]>();
  #inputUsage = { input_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };

  take({ event, parent_tool_use_id: parent }: SDKPartialAssistantMessage, emit: Emit): void {
    // A sub-agent's text is reported by its complete blocks; its deltas would mix with the answer's.
    if (parent) return;
    switch (event.type) {
      case "message_start": {
        this.begin(event.message.id, emit);
        const { usage } = event.message;
        this.#inputUsage = {
          input_tokens: countOf(usage?.input_tokens),
          cache_read_input_tokens: countOf(usage?.cache_read_input_tokens),
          cache_creation_input_tokens: countOf(usage?.cache_creation_input_tokens),
        };
        break;
      }
      case "content_block_start":
        if (event.content_block.type === "tool_use") {
          const { id, name } = event.content_block;
          this.#tools.set(event.index, { request_id: id, tool: name });
        }
        break;
      case "content_block_delta": {
        const { index, delta } = event;
        if (delta.type === "text_delta") {
          emit({ type: "text_delta", block: this.#block, text: delta.text });
        } else if (delta.type === "thinking_delta") {
          emit({ type: "thinking_delta", block: this.#block, text: delta.thinking });
        } else if (delta.type === "input_json_delta") {
          const tool = this.#tools.get(index);
          if (!tool || delta.partial_json === "") break;
          this.#unconfirmed = { request_id: tool.request_id };
          emit({ type: "tool_input_delta", ...tool, partial_json: delta.partial_json });
        } else if (!silent.has(delta.type)) {
          emit(debugOf({ type: "stream_event", subtype: delta.type, delta }));
        }
        break;
      }
      case "message_delta":
        emit({
          type: "usage",
          usage: { ...this.#inputUsage, output_tokens: countOf(event.usage?.output_tokens) },
        });
        break;
      case "message_stop":
        this.#retract(emit);
        break;
      case "content_block_stop":
        // The CLI also writes one for a block that was cut; only the complete block is a proof.
        break;
      default:
        takeOther(event, emit);
    }
  }

  /** A complete block has arrived in this message. Returns true if deltas have reported it already. */
  confirm(messageId: string, uuid: string): boolean {
    if (messageId !== this.#messageId) return false;
    if (this.#unconfirmed && "block" in this.#unconfirmed) this.remember(uuid, this.#unconfirmed);
    this.#unconfirmed = undefined;
    return true;
  }

  /** Notes what this message has reported. */
  remember(uuid: string, told: Retracted): void {
    this.#told.set(uuid, [...(this.#told.get(uuid) ?? []), told]);
  }

  /** The CLI has retracted these messages. Unknown ones, and those retracted before, are ignored. */
  takeBack(uuids: unknown, emit: Emit): void {
    for (const uuid of textsOf(uuids)) {
      for (const told of this.#told.get(uuid) ?? []) emit({ type: "retracted", ...told });
      this.#told.delete(uuid);
    }
  }

  /** Another answer begins. What a cut one had shown is void. */
  begin(messageId: string | undefined, emit: Emit): void {
    if (messageId === this.#messageId) return;
    this.#retract(emit);
    this.#messageId = messageId;
    this.#tools.clear();
  }

  /** The number of a block that is reported whole, without deltas. */
  nextBlock(): number {
    return this.#blocks++;
  }

  beginTurn(): void {
    this.#blocks = 0;
    this.#told.clear();
  }

  /** What the turn has reported stands. */
  endTurn(emit: Emit): void {
    this.begin(undefined, emit);
    this.#told.clear();
  }

  /** The block of the current deltas; it gets its number with the first of them. */
  get #block(): number {
    if (!this.#unconfirmed || !("block" in this.#unconfirmed)) {
      this.#unconfirmed = { block: this.nextBlock() };
    }
    return this.#unconfirmed.block;
  }

  #retract(emit: Emit): void {
    if (this.#unconfirmed) emit({ type: "retracted", ...this.#unconfirmed });
    this.#unconfirmed = undefined;
  }
}

/** Part of the stream but not of the SDK's types for it; or of an unknown version. */
function takeOther(event: { type: string; error?: { message?: unknown } }, emit: Emit): void {
  if (event.type === "ping") return;
  if (event.type !== "error")
    return emit(debugOf({ ...event, type: "stream_event", subtype: event.type }));
  const words = textOf(event.error?.message) || "It gave no reason.";
  emit({
    type: "notice",
    code: "cli_message",
    level: "warning",
    message: `The model's API aborted the answer: ${words}`,
  });
}
