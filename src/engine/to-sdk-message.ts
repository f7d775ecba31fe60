import type { UUID } from "node:crypto";
import type { SDKUserMessage } from "@anthropic-ai/claude-agent-sdk";

export type MessageContent = SDKUserMessage["message"]["content"];

/** A message on its way into the conversation. */
export interface EngineMessage {
  /** A UUID. The CLI writes it into its transcript, where recovery finds the message again. */
  id: string;
  content: MessageContent;
  /** now: ends the running turn; next: joins it between two tools; later: has a turn of its own. */
  priority?: "now" | "next" | "later";
  /** Adds to the conversation without starting a turn. */
  quiet?: boolean;
  /** Not the user's own text: the model is told so, and neither slash commands nor @-files apply. */
  relayed?: boolean;
  /** The user's text as it is: neither slash commands nor @-files apply. */
  verbatim?: boolean;
}

export function toSdkMessage({
  id,
  content,
  priority,
  quiet,
  relayed,
  verbatim,
}: EngineMessage): SDKUserMessage {
  return {
    type: "user",
    message: { role: "user", content },
    parent_tool_use_id: null,
    uuid: id as UUID,
    ...(priority && { priority }),
    ...(quiet && { shouldQuery: false }),
    ...(verbatim && { client_composed: true }),
    ...(relayed && { isSynthetic: true, client_composed: true }),
  };
}
