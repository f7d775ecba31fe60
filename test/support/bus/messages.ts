import { randomUUID } from "node:crypto";
import type { CCMessage, MessageType, Priority } from "../../../src/wire/team/messages.ts";

export interface MessageParts {
  id?: string;
  from?: string;
  to?: string;
  type?: MessageType;
  content?: string;
  priority?: Priority;
  ttl?: number;
  correlationId?: string;
  replyTo?: string;
  rootId?: string;
  timestamp?: string;
}

export function makeMessage(parts: MessageParts = {}): CCMessage {
  const id = parts.id ?? randomUUID();
  const timestamp = parts.timestamp ?? "2026-01-01T00:00:00.000Z";
  const from_agent = parts.from ?? "ann";
  return {
    id,
    from_agent,
    to_agent: parts.to ?? "bob",
    type: parts.type ?? "task_request",
    content: parts.content ?? "hello",
    thinking: null,
    metadata: {
      timestamp,
      priority: parts.priority ?? "normal",
      task_id: null,
      correlation_id: parts.correlationId ?? null,
      retry_count: 0,
      ttl: parts.ttl ?? null,
    },
    timestamp,
    reply_to: parts.replyTo ?? null,
    root_id: parts.rootId ?? id,
    hop: 0,
    path: [from_agent],
  };
}
