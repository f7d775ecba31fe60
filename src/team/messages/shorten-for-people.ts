import type { CCMessage } from "../../wire/team/messages.ts";

const SHOWN_CHARS = 4000;

/** The message with the beginning of its content, for people; the method `message` returns all of it. */
export function shortenForPeople(message: CCMessage): CCMessage {
  const { content, thinking } = message;
  if (content.length <= SHOWN_CHARS && (thinking?.length ?? 0) <= SHOWN_CHARS) return message;
  return {
    ...message,
    content: content.slice(0, SHOWN_CHARS),
    thinking: thinking?.slice(0, SHOWN_CHARS) ?? null,
  };
}
