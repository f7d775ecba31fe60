import type {
  AgentId,
  CCMessage,
  MessageType,
  SendMessageInput,
} from "../../wire/team/messages.ts";
import type { Thread } from "./thread-of-message.ts";
import { newThread, threadBelow } from "./thread-of-message.ts";

export interface Composition {
  readonly id: string;
  readonly from: AgentId;
  readonly input: Omit<SendMessageInput, "wait">;
  /** The message that `reply_to` names. */
  readonly answered: CCMessage | undefined;
  /** Where the sender stands in an exchange; absent when it speaks of its own accord. */
  readonly thread: Thread | undefined;
  readonly now: Date;
}

/** The message behind a call of send_message. Sender, times and thread are ours, never the model's. */
export function composeMessage({ id, from, input, answered, thread, now }: Composition): CCMessage {
  const type = input.type ?? defaultType(input.reply_to);
  const at = now.toISOString();
  const { priority = "normal", task_id, correlation_id, ttl = null } = input.metadata ?? {};
  const place = answered ? threadBelow(answered, from) : (thread ?? newThread(id, from));
  return {
    id,
    from_agent: from,
    to_agent: input.to,
    type,
    content: input.content,
    thinking: input.thinking ?? null,
    metadata: {
      timestamp: at,
      priority,
      task_id: task_id ?? answered?.metadata.task_id ?? (type === "task_request" ? id : null),
      correlation_id: correlation_id ?? answered?.metadata.correlation_id ?? id,
      retry_count: 0,
      ttl,
    },
    timestamp: at,
    reply_to: input.reply_to ?? null,
    root_id: place.root_id,
    hop: place.hop,
    path: [...place.path],
  };
}

const defaultType = (replyTo: string | undefined): MessageType =>
  replyTo === undefined ? "task_request" : "task_response";
