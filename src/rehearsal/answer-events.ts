import { createHash } from "node:crypto";
import type { AnswerBlock, AnswerMessage, MessagesRequest, StreamEvent } from "./messages-api.ts";
import { estimateTokens } from "./messages-api.ts";
import type { ScriptedAnswer } from "./answer-schema.ts";

export interface IdSource {
  nextId(prefix: "msg" | "toolu"): string;
}

/** The answer as one message, as the API returns it when `stream` is off. */
export function composeMessage(
  answer: ScriptedAnswer,
  request: MessagesRequest,
  ids: IdSource,
): AnswerMessage {
  const content = composeBlocks(answer, ids);
  const { stream: _stream, ...counted } = request;
  return {
    id: ids.nextId("msg"),
    type: "message",
    role: "assistant",
    model: request.model,
    content,
    stop_reason: answer.stop_reason ?? (answer.tools?.length ? "tool_use" : "end_turn"),
    stop_sequence: null,
    usage: {
      input_tokens: answer.usage?.input_tokens ?? estimateTokens(counted),
      output_tokens: answer.usage?.output_tokens ?? estimateTokens(content),
      cache_creation_input_tokens: answer.usage?.cache_creation_input_tokens ?? 0,
      cache_read_input_tokens: answer.usage?.cache_read_input_tokens ?? 0,
    },
  };
}

function composeBlocks(answer: ScriptedAnswer, ids: IdSource): AnswerBlock[] {
  const blocks: AnswerBlock[] = [];
  const { thinking, text, tools } = answer;
  if (thinking !== undefined) {
    blocks.push({ type: "thinking", thinking, signature: signatureOf(thinking) });
  }
  if (text !== undefined) blocks.push({ type: "text", text });
  for (const { id, name, input } of tools ?? []) {
    blocks.push({ type: "tool_use", id: id ?? ids.nextId("toolu"), name, input });
  }
  return blocks;
}

/** The API signs thinking so that it can be sent back; only its shape matters here. */
function signatureOf(thinking: string): string {
  return createHash("sha256").update(`rehearsal:${thinking}`).digest("base64");
}

/** The same message as the events of a stream, its texts and inputs in pieces of `chars` characters. */
export function* streamEvents(message: AnswerMessage, chars: number): Generator<StreamEvent> {
  const { stop_reason, stop_sequence, usage } = message;
  yield {
    type: "message_start",
    message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
  };
  yield { type: "ping" };
  for (const [index, block] of message.content.entries()) yield* blockEvents(block, index, chars);
  yield { type: "message_delta", delta: { stop_reason, stop_sequence }, usage };
  yield { type: "message_stop" };
}

function* blockEvents(block: AnswerBlock, index: number, chars: number): Generator<StreamEvent> {
  const delta = (of: (StreamEvent & { type: "content_block_delta" })["delta"]): StreamEvent => ({
    type: "content_block_delta",
    index,
    delta: of,
  });
  switch (block.type) {
    case "text":
      yield { type: "content_block_start", index, content_block: { type: "text", text: "" } };
      for (const text of pieces(block.text, chars)) yield delta({ type: "text_delta", text });
      break;
    case "thinking":
      yield {
        type: "content_block_start",
        index,
        content_block: { type: "thinking", thinking: "", signature: "" },
      };
      for (const thinking of pieces(block.thinking, chars)) {
        yield delta({ type: "thinking_delta", thinking });
      }
      yield delta({ type: "signature_delta", signature: block.signature });
      break;
    case "tool_use":
      yield { type: "content_block_start", index, content_block: { ...block, input: {} } };
      yield delta({ type: "input_json_delta", partial_json: "" });
      for (const partial_json of pieces(JSON.stringify(block.input), chars)) {
        yield delta({ type: "input_json_delta", partial_json });
      }
      break;
  }
  yield { type: "content_block_stop", index };
}

/** Whole characters only: a piece never ends inside a surrogate pair. */
function pieces(text: string, chars: number): string[] {
  const characters = Array.from(text);
  const count = Math.ceil(characters.length / chars);
  return Array.from({ length: count }, (_, index) =>
    characters.slice(index * chars, (index + 1) * chars).join(""),
  );
}
