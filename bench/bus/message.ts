import { randomUUID } from "node:crypto";
import type { CCMessage } from "../../src/wire/team/messages.ts";

const TEXT = "The test passed in 12 ms; read the file where the header is checked.\n".repeat(8);

/** About a kilobyte, as agents write. */
export function makeMessage(from: string, to: string): CCMessage {
  const id = randomUUID();
  const timestamp = "2026-11-15T22:46:00.000Z";
  return {
    id,
    from_agent: from,
    to_agent: to,
    type: "task_request",
    content: TEXT,
    thinking: null,
    metadata: {
      timestamp,
      priority: "normal",
      task_id: null,
      correlation_id: null,
      retry_count: 0,
      ttl: null,
    },
    timestamp,
    reply_to: null,
    root_id: id,
    hop: 0,
    path: [from],
  };
}
