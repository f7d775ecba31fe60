import type { SDKAssistantMessage } from "@anthropic-ai/claude-agent-sdk";
import type { Retracted } from "../events.ts";
import type { ConversationState } from "./normaliser-state.ts";
import type { Emit } from "./emit-event.ts";
import { asJson, debugOf, fromSubagent } from "./emit-event.ts";

/** Reported by deltas, or without content. */
const silent: ReadonlySet<string> = new Set(["text", "thinking", "redacted_thinking"]);

/**
 * Complete blocks of the assistant. Text and thinking count only where no deltas came: from sub-agents, slash
 * commands and answers that the CLI fetched without streaming.
 */
export function normaliseAssistant(
  { message, parent_tool_use_id: parent, error, uuid, supersedes }: SDKAssistantMessage,
  state: ConversationState,
  emit: Emit,
): void {
  const mark = fromSubagent(parent);
  state.streamed.takeBack(supersedes, emit);
  // A sub-agent's failure is reported by its text and by its call's result; the turn may still succeed.
  if (error && mark.parent === undefined) {
    const text = message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    // A refusal has a message of its own, which says more than the error behind it.
    if (state.failure?.apiError !== "refusal") state.failure = { apiError: error, text };
    return;
  }
  const streamed = state.streamed.confirm(message.id, uuid);
  // Further blocks of an answer that was not streamed come under the same id.
  if (!streamed && mark.parent === undefined) state.streamed.begin(undefined, emit);
  // A sub-agent's text is not retracted: it was never part of the answer.
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
