import type { MessagePriority } from "../../wire/session/shared-schemas.ts";
import type { CCMessage, MessageType, Priority } from "../../wire/team/messages.ts";

// What a message's type means for its delivery. All of it follows from the message alone.

type Kind = Pick<CCMessage, "type" | "reply_to">;

const controlTypes: ReadonlySet<MessageType> = new Set(["ping", "pong", "shutdown"]);
const quietTypes: ReadonlySet<MessageType> = new Set(["info", "progress"]);
const answerTypes: ReadonlySet<MessageType> = new Set([
  "task_response",
  "task_complete",
  "task_failed",
  "error",
]);

/** For the team's process itself. It never reaches a model. */
export const isControl = ({ type }: Pick<Kind, "type">): boolean => controlTypes.has(type);

/** A response, completion, failure or error with `reply_to` answers; information and questions do not. */
export const isAnswer = ({ type, reply_to }: Kind): boolean =>
  reply_to !== null && answerTypes.has(type);

/** Only a task_request is answered automatically, so that two agents never answer each other for ever. */
export const wantsAnswer = ({ type }: Pick<Kind, "type">): boolean => type === "task_request";

type Urgency = { metadata: { readonly priority: Priority } };

/** Added to the conversation without starting a turn. What is urgent is never quiet. */
export const isQuiet = ({ type, metadata }: Pick<Kind, "type"> & Urgency): boolean =>
  quietTypes.has(type) && metadata.priority !== "urgent";

/** Whether an idle recipient begins to work because of it. */
export const startsTurn = (message: Pick<Kind, "type"> & Urgency): boolean =>
  !isControl(message) && !isQuiet(message);

/**
 * The session's priority. An urgent message cuts the running turn short only for those who may; from
 * others it comes between two tools.
 */
export function pushPriority(priority: Priority, mayInterrupt: boolean): MessagePriority {
  if (priority === "urgent") return mayInterrupt ? "now" : "next";
  return priority === "low" ? "later" : "next";
}
