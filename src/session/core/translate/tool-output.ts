import type { StoredContentBlock } from "../../../wire/content.ts";
import { StoredContentBlockSchema } from "../../../wire/content.ts";
import type { JsonValue } from "../../../wire/json.ts";
import { isRecord } from "../../../wire/json.ts";

export interface ToolOutput {
  output: string;
  /** All blocks, when the result holds more than text. */
  content?: StoredContentBlock[];
}

/** A tool's result as a text that every client can show, and as blocks when the text is not all of it. */
export function toolOutputOf(result: JsonValue): ToolOutput {
  if (typeof result === "string") return { output: result };
  if (!Array.isArray(result)) return { output: JSON.stringify(result) };
  const blocks = result.map(blockOf);
  const output = blocks.flatMap((block) => (block.type === "text" ? block.text : [])).join("\n");
  return blocks.every(({ type }) => type === "text") ? { output } : { output, content: blocks };
}

/** A block that is neither text, image nor document is recorded as its JSON. */
function blockOf(block: JsonValue): StoredContentBlock & { text?: string } {
  const checked = StoredContentBlockSchema.safeParse(block);
  if (checked.success) return checked.data as StoredContentBlock & { text?: string };
  if (isRecord(block) && typeof block["text"] === "string") {
    return { type: "text", text: block["text"] };
  }
  return { type: "text", text: JSON.stringify(block) };
}
