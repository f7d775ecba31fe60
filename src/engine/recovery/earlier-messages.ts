import { isRecord } from "../../wire/json.ts";
import { conversationRows } from "./conversation-rows.ts";
import type { Row } from "./transcript.ts";
import { cutText } from "../../text/cut-text.ts";

/** A message of a person or of the model. */
export interface TranscriptMessage {
  role: "user" | "assistant";
  text: string;
}

export interface EarlierMessages {
  /** The newest, oldest first. */
  messages: TranscriptMessage[];
  /** How many older ones there are. */
  omitted: number;
}

const MAX_MESSAGES = 20;
const MAX_CHARS = 8_000;

/** What the CLI writes in place of a person's text. */
const notSpoken = /^(?:<(?:command-|local-command|bash-|task-notification)|\[Request interrupted)/;

/**
 * The texts of a conversation in the CLI's transcript, without tools and sub-agents; with `upTo`, only up to that row. An
 * unreadable file has none.
 */
export function earlierMessages(path: string, upTo?: string): EarlierMessages {
  const spoken = joined(conversationRows(path, upTo));
  const messages = spoken
    .slice(-MAX_MESSAGES)
    .map(({ role, text }) => ({ role, text: cutText(text, MAX_CHARS) }));
  return { messages, omitted: spoken.length - messages.length };
}

interface Spoken extends TranscriptMessage {
  /** The id of its answer. */
  id: string | undefined;
}

/** Each block of an answer has a row of its own. */
function joined(rows: readonly Row[]): Spoken[] {
  const spoken: Spoken[] = [];
  for (const row of rows) {
    const text = wordsOf(row);
    if ((row.type !== "user" && row.type !== "assistant") || text === "") continue;
    const id = row.type === "assistant" ? row.message?.id : undefined;
    const last = spoken.at(-1);
    if (last && id !== undefined && last.id === id) last.text += `\n\n${text}`;
    else spoken.push({ role: row.type, text, id });
  }
  return spoken;
}

function wordsOf({ message, isMeta, isCompactSummary }: Row): string {
  if (isMeta === true || isCompactSummary === true) return "";
  const content: unknown = message?.content;
  const blocks: unknown[] = Array.isArray(content) ? content : [{ type: "text", text: content }];
  const texts = blocks
    .filter(isRecord)
    .flatMap(({ type, text }) =>
      type === "text" && typeof text === "string" ? [text.trim()] : [],
    );
  return texts.filter((text) => text !== "" && !notSpoken.test(text)).join("\n\n");
}
