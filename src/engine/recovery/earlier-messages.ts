import { readFileSync } from "node:fs";
import { isRecord } from "../../wire/json.ts";
import type { Row } from "./transcript.ts";
import { linesOf, parseRow } from "./transcript.ts";
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

/** The texts of a conversation in the CLI's transcript, without tools and sub-agents. An unreadable file has none. */
export function earlierMessages(path: string): EarlierMessages {
  const spoken = joined(conversation(rowsOf(path)));
  const messages = spoken
    .slice(-MAX_MESSAGES)
    .map(({ role, text }) => ({ role, text: cutText(text, MAX_CHARS) }));
  return { messages, omitted: spoken.length - messages.length };
}

function rowsOf(path: string): Row[] {
  try {
    return [...linesOf(readFileSync(path))].flatMap((line) => parseRow(line) ?? []);
  } catch {
    return [];
  }
}

/** The rows that lead to the last one: others belong to abandoned branches. */
function conversation(rows: readonly Row[]): Row[] {
  const known = rows.filter(({ uuid, isSidechain }) => uuid !== undefined && !isSidechain);
  const byId = new Map(known.map((row) => [row.uuid, row]));
  const branch = new Set<Row>();
  for (let row = known.at(-1); row && !branch.has(row);) {
    branch.add(row);
    row = byId.get(row.parentUuid ?? row.logicalParentUuid ?? undefined);
  }
  return [...branch].toReversed();
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

function wordsOf({
  message,
  isMeta,
  isCompactSummary,
}: Row & { isCompactSummary?: boolean }): string {
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
