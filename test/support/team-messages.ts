import type { CCMessage } from "../../src/wire/team/messages.ts";

let count = 0;

/** A message between two agents; ids count up. */
export function messageOf(fields: Partial<CCMessage> = {}): CCMessage {
  count += 1;
  const id = fields.id ?? `00000000-0000-4000-8000-${String(count).padStart(12, "0")}`;
  const timestamp = "2026-11-15T12:00:00.000Z";
  return {
    id,
    from_agent: "boss",
    to_agent: "coder",
    type: "task_request",
    content: "do it",
    thinking: null,
    timestamp,
    reply_to: null,
    root_id: id,
    hop: 0,
    path: ["boss"],
    ...fields,
    metadata: {
      timestamp,
      priority: "normal",
      task_id: null,
      correlation_id: null,
      retry_count: 0,
      ttl: null,
      ...fields.metadata,
    },
  };
}
