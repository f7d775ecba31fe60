import { isDeepStrictEqual } from "node:util";
import type { CCMessage } from "../wire/team.ts";
import { laneOf } from "./lanes.ts";
import type { Letter } from "./store.ts";

const MS_PER_SECOND = 1000;

/** The message as a store takes it. Its time to live runs from now, whatever time it claims. */
export function letterOf(message: CCMessage, nowMs: number): Letter {
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
    // A later time could be stored and not read again, and with it no message behind it.
    expiresAt: ttl === null ? null : Math.min(nowMs + ttl * MS_PER_SECOND, Number.MAX_SAFE_INTEGER),
    body,
    bytes: Buffer.byteLength(body),
  };
}

export const readMessage = (body: string): CCMessage => JSON.parse(body) as CCMessage;

/**
 * Do two bodies under one id say the same? A sender who repeats itself after a crash says the same at
 * another time, and the place in the exchange is worked out anew, so those do not count.
 */
export function saysTheSame(one: string, other: string): boolean {
  return one === other || isDeepStrictEqual(gist(one), gist(other));
}

function gist(body: string): unknown {
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
