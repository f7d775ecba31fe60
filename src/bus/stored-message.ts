import { isDeepStrictEqual } from "node:util";
import type { CCMessage } from "../wire/team/messages.ts";
import { laneOf } from "./inbox-order.ts";
import type { StoredMessage } from "./store.ts";

const MS_PER_SECOND = 1000;

/** The message in the store's form. Its time to live starts now, whatever time it claims. */
export function toStoredMessage(message: CCMessage, nowMs: number): StoredMessage {
  const body = JSON.stringify(message);
  const { ttl, priority, correlation_id } = message.metadata;
  return {
    id: message.id,
    sender: message.from_agent,
    recipient: message.to_agent,
    type: message.type,
    priority,
    lane: laneOf(message.type),
    rootId: message.root_id,
    correlationId: correlation_id,
    replyTo: message.reply_to,
    // A larger number could be stored but not read back, which would block all messages behind it.
    expiresAt: ttl === null ? null : Math.min(nowMs + ttl * MS_PER_SECOND, Number.MAX_SAFE_INTEGER),
    body,
    bytes: Buffer.byteLength(body),
  };
}

export const readMessage = (body: string): CCMessage => JSON.parse(body) as CCMessage;

/**
 * Whether two bodies under one id are the same message. A sender that repeats itself after a crash changes the time
 * and recomputes the position in the exchange, so those fields do not count.
 */
export function isSameMessage(one: string, other: string): boolean {
  return one === other || isDeepStrictEqual(contentOf(one), contentOf(other));
}

function contentOf(body: string): unknown {
  const { from_agent, to_agent, type, content, thinking, reply_to, metadata } = readMessage(body);
  const { priority, task_id, correlation_id, ttl } = metadata;
  return {
    from_agent,
    to_agent,
    type,
    content,
    thinking,
    reply_to,
    priority,
    task_id,
    correlation_id,
    ttl,
  };
}
