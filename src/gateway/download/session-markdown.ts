import type { ConversationItem } from "../../client/core.ts";
import { emptyConversation, fold } from "../../client/core.ts";
import type { StoredText } from "../../wire/blob.ts";
import type { StoredContentBlock } from "../../wire/content.ts";
import type { SessionEvent } from "../../wire/session/events.ts";

/**
 * A session for people to read: what was said, and each call with its input and result. Turn after turn, so that one turn at
 * most is held.
 *
 * @param pages of events, oldest first.
 */
export async function* markdownOf(
  title: string,
  pages: AsyncIterable<readonly SessionEvent[]>,
): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`# ${inline(title)}\n`);
  let turn: SessionEvent[] = [];
  for await (const events of pages) {
    for (const event of events) {
      turn.push(event);
      if (event.type !== "done") continue;
      yield Buffer.from(partOf(turn));
      turn = [];
    }
  }
  yield Buffer.from(partOf(turn));
}

/** A message that was accepted in an earlier turn was written there. The fold cuts long outputs; here they stand whole. */
function partOf(events: readonly SessionEvent[]): string {
  const outputs = new Map(
    events.flatMap((event) =>
      event.type === "tool_result" ? [[event.request_id, textOf(event.output)]] : [],
    ),
  );
  return fold(emptyConversation, events)
    .items.map((item) => partOfItem(item, outputs))
    .filter((part) => part !== "")
    .map((part) => `\n${part}\n`)
    .join("");
}

function partOfItem(item: ConversationItem, outputs: ReadonlyMap<string, string>): string {
  switch (item.kind) {
    case "message": {
      const { from, by, at, text, content } = item.message;
      const words =
        text === undefined
          ? (content ?? []).map((block) => wordsOf(block)).join("\n\n")
          : textOf(text);
      return `## ${inline(from ?? by ?? "user")} · ${at}\n\n${words}`;
    }
    case "text":
      return item.text;
    case "thinking":
      return quoted(item.text);
    case "tool": {
      const { tool, result, input } = item;
      const outcome = result === undefined ? "no result" : result.is_error ? "failed" : "done";
      const given = fenced(
        input === undefined ? item.inputJson : JSON.stringify(input, null, 2),
        "json",
      );
      const got =
        result === undefined ? "" : `\n\n${fenced(outputs.get(item.requestId) ?? "", "")}`;
      return `### ${inline(tool)} · ${outcome}\n\n${given}${got}`;
    }
    case "note":
      return "message" in item.note ? quoted(String(item.note.message)) : "";
    case "stub":
      return "";
    default:
      return "";
  }
}

/** A text that the session keeps as a payload stands here with its beginning. */
const textOf = (text: StoredText): string =>
  typeof text === "string"
    ? text
    : `${text.preview}\n[the beginning of ${text.bytes} bytes, kept as ${text.blob}]`;

const wordsOf = (block: StoredContentBlock): string =>
  block.type === "text" ? textOf(block.text) : `[${block.type}]`;

const quoted = (text: string): string =>
  text
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");

/** A fence that is longer than any in the text. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** A name on one line, without a sign that would change what stands around it. */
const inline = (text: string): string =>
  text.replaceAll(/\p{Cc}+/gu, " ").replaceAll(/[\\`*_[\]<>#|]/g, String.raw`\$&`);
