import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { SessionEventOf } from "../../client/index.ts";
import { textOf } from "./text-or-preview.ts";

type UserMessage = SessionEventOf<"user_message">;
type Stored = NonNullable<UserMessage["content"]>[number];

function blockOf(block: Stored): ContentBlock {
  if (block.type === "text") return { type: "text", text: textOf(block.text) };
  const { source } = block;
  if (source.type === "url") return { type: "resource_link", name: block.type, uri: source.url };
  if (source.type === "text") return { type: "text", text: textOf(source.data) };
  if (block.type === "image" && typeof source.data === "string") {
    return { type: "image", data: source.data, mimeType: source.media_type };
  }
  return { type: "text", text: `(${block.type}, ${source.media_type})` };
}

/** What was said, with the sender's name when it was not the user. */
export function blocksOfMessage({ text, content, from }: UserMessage): ContentBlock[] {
  const blocks: ContentBlock[] = content
    ? content.map(blockOf)
    : [{ type: "text", text: text === undefined ? "" : textOf(text) }];
  return from === undefined ? blocks : [{ type: "text", text: `${from}: ` }, ...blocks];
}
