import { isRecord } from "../../wire/json.ts";
import type { JsonObject, JsonValue } from "../../wire/json.ts";
import type { CCMessage } from "../../wire/team/messages.ts";

// What the result of a call says when it carries a message. The team reads it again after a crash: by then the result
// stands in the conversation, and no process remembers what was given to which call.

/** Where a result's `meta` names the message that the result carries. */
const CARRIES = "agent-switchboard/message_id";

export const carriedMeta = ({ id }: CCMessage): JsonObject => ({ [CARRIES]: id });

export const answerWords = ({ from_agent, id, content }: CCMessage): string =>
  `Answer from ${from_agent} (message ${id}):\n${content}`;

export const questionWords = ({ from_agent, id, content }: CCMessage): string =>
  `${from_agent} asks something first (message ${id}). This is not the answer yet:\n${content}\n\nAnswer it with send_message {"to": "${from_agent}", "reply_to": "${id}", "wait": true}: that returns the answer to your own request. If you end your turn without answering it, the final text of the turn is sent to ${from_agent} too.`;

/**
 * The line in a result of an earlier version, which has no `meta`. A refusal quotes what the model has written, and that
 * may look like anything, so the text after a refusal's number does not count.
 */
const CARRIED_WORDS =
  /^(?:(?!Error -\d).)*?(?:Answer from \S+|\S+ asks something first) \(message ([0-9a-f-]{36})\)/;

/** The id of the message that this result carries. */
export function messageCarriedBy(result: {
  text: string;
  meta?: JsonValue | undefined;
}): string | undefined {
  const { text, meta } = result;
  const id = isRecord(meta) ? meta[CARRIES] : undefined;
  return typeof id === "string" ? id : CARRIED_WORDS.exec(text)?.[1];
}
