import type { MessageContent } from "../engine/index.ts";
import { errorOf } from "../wire/errors.ts";
import type { ContentBlock } from "../wire/content.ts";

/** One message of a conversation, as a program gives it to the model. */
export interface ModelMessage {
  role: "system" | "user" | "assistant";
  content: string | ContentBlock[];
}

/** What a conversation becomes for a session: instructions, and one message of the user. */
export interface Prompt {
  /** The system messages, joined. */
  system: string | undefined;
  content: MessageContent;
}

/**
 * A session begins with a message of the user, so earlier messages are part of that message, complete and marked as
 * such.
 *
 * @throws `invalid_params` when the last message is not the user's, or is empty.
 */
export function toPrompt(messages: string | readonly ModelMessage[]): Prompt {
  const all =
    typeof messages === "string" ? [{ role: "user", content: messages } as const] : messages;
  const system = all.filter(({ role }) => role === "system").map(({ content }) => textOf(content));
  const spoken = all.filter(({ role }) => role !== "system");
  const newFrom = spoken.findLastIndex(({ role }) => role !== "user") + 1;
  const asked = spoken.slice(newFrom).flatMap(({ content }) => toBlocks(content));
  if (asked.length === 0) {
    throw errorOf("invalid_params", "The conversation does not end with a user message.", {
      hint: "Put the message that the model should answer last, with the role user.",
    });
  }
  const earlier = spoken.slice(0, newFrom).map(({ role, content }) => ({
    speaker: role === "user" ? "User" : "Assistant",
    blocks: toBlocks(content),
  }));
  return {
    system: system.length > 0 ? system.join("\n\n") : undefined,
    content: toContent([...tellEarlier(earlier), ...asked]),
  };
}

export interface EarlierMessage {
  speaker: string;
  blocks: ContentBlock[];
}

const WHOLE =
  "This conversation began before this session. It is repeated here in full; go on from its end.";

/**
 * Earlier messages as blocks before the new ones. Nothing is cut; images stay images.
 *
 * @param why in words for the model.
 */
export function tellEarlier(messages: readonly EarlierMessage[], why = WHOLE): ContentBlock[] {
  if (messages.length === 0) return [];
  return [
    text(`<earlier_conversation>\n${why}`),
    ...messages.flatMap(({ speaker, blocks }) => [text(`\n${speaker}:`), ...blocks]),
    text("</earlier_conversation>"),
  ];
}

/** One text stays a plain text, as a person would have typed it. */
export function toContent(blocks: ContentBlock[]): MessageContent {
  const [only] = blocks;
  if (blocks.length === 1 && only?.type === "text") return only.text;
  return blocks as MessageContent;
}

export const text = (words: string): ContentBlock => ({ type: "text", text: words });

/** The API refuses empty texts. */
const toBlocks = (content: ModelMessage["content"]): ContentBlock[] =>
  (typeof content === "string" ? [text(content)] : content).filter(
    (block) => block.type !== "text" || block.text !== "",
  );

function textOf(content: ModelMessage["content"]): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}
