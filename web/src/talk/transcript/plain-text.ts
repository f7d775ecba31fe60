import type { SessionEventOf, StoredContentBlock, StoredText } from "agent-switchboard/wire";

/** A text of the log, or the beginning of one that is stored beside it. */
export const shownText = (text: StoredText): string =>
  typeof text === "string" ? text : text.preview;

/** The words of a message, without its pictures. */
export function plainTextOf({
  text,
  content = [],
}: Pick<SessionEventOf<"user_message">, "text" | "content">): string {
  if (text !== undefined) return shownText(text);
  return content.flatMap(wordsOf).join("\n");
}

const wordsOf = (block: StoredContentBlock): string[] =>
  block.type === "text" ? [shownText(block.text)] : [];
