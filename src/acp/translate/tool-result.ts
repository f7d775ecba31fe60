import type { ContentBlock, ToolCallContent, ToolCallUpdate } from "@agentclientprotocol/sdk";
import type { SessionEventOf } from "../../client/index.ts";
import { diffsOfChanges, locationsOfChanges } from "./diffs.ts";
import { textOf } from "./text-or-preview.ts";
import { fenced, textContent } from "./text-content.ts";
import { kindOf } from "./tool-call.ts";

type ToolResult = SessionEventOf<"tool_result">;
type Stored = NonNullable<ToolResult["content"]>[number];

function blockOf(block: Stored): ContentBlock {
  if (block.type === "text") return { type: "text", text: textOf(block.text) };
  const { source } = block;
  const what = block.type === "image" ? "image" : (block.title ?? "document");
  if (source.type === "url") return { type: "resource_link", name: what, uri: source.url };
  if (source.type === "text") return { type: "text", text: textOf(source.data) };
  if (block.type === "image" && typeof source.data === "string") {
    return { type: "image", data: source.data, mimeType: source.media_type };
  }
  return { type: "text", text: `(${what}, ${source.media_type})` };
}

function contentOf(result: ToolResult, tool: string | undefined): ToolCallContent[] {
  if (result.content) {
    return result.content.map((block) => ({ type: "content", content: blockOf(block) }));
  }
  const text = textOf(result.output);
  if (text === "") return [];
  const isPlain = result.is_error || kindOf(tool ?? "") === "execute";
  if (isPlain) return [textContent(fenced(text, result.is_error ? "" : "console"))];
  // Of a file: as it is, with the numbers of its lines.
  return [textContent(kindOf(tool ?? "") === "read" ? fenced(text) : text)];
}

/** The end of a call. `tool` is unknown when the call began before we came. */
export function resultUpdate(
  result: ToolResult,
  tool: string | undefined,
  cwd: string,
): ToolCallUpdate {
  const { request_id: toolCallId, is_error: isError, changes = [] } = result;
  const status = isError ? "failed" : "completed";
  const diffs = isError ? [] : diffsOfChanges(changes, cwd);
  if (diffs.length > 0) {
    return { toolCallId, status, content: diffs, locations: locationsOfChanges(changes, cwd) };
  }
  const content = contentOf(result, tool);
  return { toolCallId, status, ...(content.length > 0 && { content }) };
}
