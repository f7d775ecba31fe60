import type { SessionView } from "../../client/index.ts";
import type { SessionEventOf } from "../../wire/session/events.ts";
import { idOfCall } from "../messages/derive-message-id.ts";
import { messageCarriedBy } from "../messages/message-carried-by-result.ts";
import { textOf } from "./session-event-to-timeline.ts";

const SEND_MESSAGE = "mcp__team__send_message";

/** The open call that has sent this message and waits for the answer. */
export function openCallFor(view: SessionView, messageId: string): string | undefined {
  for (const [id, { tool, input }] of view.openCalls) {
    const waits = tool === SEND_MESSAGE && input["wait"] === true;
    if (waits && idOfCall(view.logId, id) === messageId) return id;
  }
  return undefined;
}

/** The message that a result brings into the conversation. Call this before the view has the result. */
export function messageIn(
  view: SessionView,
  { request_id, output, meta }: SessionEventOf<"tool_result">,
): string | undefined {
  if (view.openCalls.get(request_id)?.tool !== SEND_MESSAGE) return undefined;
  return messageCarriedBy({ text: textOf(output), meta });
}
