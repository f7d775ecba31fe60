import type { MessagePriority } from "../../wire/session-terms.ts";
import type { CCMessage, MessageType, Priority } from "../../wire/team.ts";

// What a message is, as far as its way to the recipient goes. All of it follows from the message alone.

type Kind = Pick<CCMessage, "type" | "reply_to">;

const controlTypes: ReadonlySet<MessageType> = new Set(["ping", "pong", "shutdown"]);
const quietTypes: ReadonlySet<MessageType> = new Set(["info", "progress"]);

/** For the team's process itself: it never reaches a model. */
export const isControl = ({ type }: Pick<Kind, "type">): boolean => controlTypes.has(type);

/** A message with `reply_to` answers. Progress does not: it says that the answer is still to come. */
export const isAnswer = ({ type, reply_to }: Kind): boolean =>
  reply_to !== null && type !== "progress" && type !== "task_request" && !controlTypes.has(type);

/** Only a task_request is answered by itself, so that answers never start ping-pong. */
export const wantsAnswer = ({ type }: Pick<Kind, "type">): boolean => type === "task_request";

/** Added to the conversation without starting a turn. */
export const isQuiet = (message: Kind): boolean =>
  quietTypes.has(message.type) && !isAnswer(message);

/** What may come into a running turn. Everything else waits in the inbox for its end. */
export const joinsTurn = (message: Kind & { metadata: { readonly priority: Priority } }): boolean =>
  isAnswer(message) || message.type === "error" || message.metadata.priority === "urgent";

/**
 * The session's priority. An urgent message cuts the running turn short only for those who may; from
 * others it comes between two tools.
 */
export function pushPriority(priority: Priority, mayInterrupt: boolean): MessagePriority {
  if (priority === "urgent") return mayInterrupt ? "now" : "next";
  return priority === "low" ? "later" : "next";
}
