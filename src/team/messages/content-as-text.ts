import { Buffer } from "node:buffer";
import type { ContentBlock } from "../../wire/content.ts";

/** What people and other agents read of a message with pictures: its words, and what else was in it. */
export const contentAsText = (content: readonly ContentBlock[]): string =>
  content.map(wordsOfBlock).join("\n");

function wordsOfBlock(block: ContentBlock): string {
  if (block.type === "text") return block.text;
  const { source } = block;
  if (source.type === "url") return `[${block.type}: ${source.url}]`;
  const encoding = source.type === "base64" ? "base64" : "utf8";
  const bytes = Buffer.byteLength(source.data, encoding);
  return `[${block.type}: ${source.media_type}, ${bytes} bytes]`;
}
