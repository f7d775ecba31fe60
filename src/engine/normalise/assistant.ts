import type { SDKAssistantMessage } from "@anthropic-ai/claude-agent-sdk";
import type { Retracted } from "../events.ts";
import type { ConversationState } from "./conversation-state.ts";
import type { Emit } from "./emit.ts";
import { asJson, debugOf, fromSubagent } from "./emit.ts";

/** Told by deltas, or with nothing in them to tell. */
const silent: ReadonlySet<string> = new Set(["text", "thinking", "redacted_thinking"]);

/**
 * Whole blocks of the assistant. Text and thinking count only where no delta has told them: from
 * sub-agents, slash commands and answers that the CLI fetched without streaming.
 */
export function normaliseAssistant(
  { message, parent_tool_use_id: parent, error, uuid, supersedes }: SDKAssistantMessage,
  state: ConversationState,
  emit: Emit,
): void {
  const mark = fromSubagent(parent);
  state.streamed.takeBack(supersedes, emit);
  // That a sub-agent failed is told by its words and by the result of its call; the turn may yet go well.
  if (error && mark.parent === undefined) {
    const text = message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    // A refusal is told by a message of its own, which says more than the error behind it.
    if (state.failure?.apiError !== "refusal") state.failure = { apiError: error, text };
    return;
  }
  const streamed = state.streamed.confirm(message.id, uuid);
  // Further blocks of an answer that was not streamed come under the same id.
  if (!streamed && mark.parent === undefined) state.streamed.begin(undefined, emit);
  // What a sub-agent has said stays: it was never part of the answer.
  const remember = (told: Retracted): void => {
    if (mark.parent === undefined) state.streamed.remember(uuid, told);
  };
  const nextBlock = (): number => {
    const number = state.streamed.nextBlock();
    remember({ block: number });
    return number;
  };
  for (const block of message.content) {
    if (block.type === "text" && !streamed) {
      emit({ type: "text_delta", block: nextBlock(), text: block.text, ...mark });
    } else if (block.type === "thinking" && !streamed) {
      emit({ type: "thinking_delta", block: nextBlock(), text: block.thinking, ...mark });
    } else if (block.type === "tool_use") {
      remember({ request_id: block.id });
      emit({
        type: "tool_use",
        request_id: block.id,
        tool: block.name,
        input: asJson(block.input ?? {}),
        ...mark,
      });
    } else if (!silent.has(block.type)) {
      emit(debugOf({ type: "assistant", subtype: block.type, block }));
    }
  }
}
