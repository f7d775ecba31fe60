import type { ToolResult as TextResult } from "../../wire/ipc.ts";
import type { McpContentBlock, McpToolResult } from "../tool/make-mcp-content.ts";

/** The IPC contract has only text: other content becomes text that describes it. */
export function textOnly({ content, isError = false }: McpToolResult): TextResult {
  const texts = content.map((block) => ({ type: "text" as const, text: tell(block) }));
  // The contract requires at least one.
  return { content: texts.length > 0 ? texts : [{ type: "text", text: "" }], isError };
}

function tell(block: McpContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "resource":
      return tellResource(block.resource);
    case "resource_link":
      return `[resource: ${block.uri} (${block.title ?? block.name})]`;
    default:
      return `[${block.type}: ${block.mimeType}, ${bytesOf(block.data)}]`;
  }
}

function tellResource(
  resource: Extract<McpContentBlock, { type: "resource" }>["resource"],
): string {
  if ("text" in resource) return resource.text;
  const { uri, mimeType = "application/octet-stream", blob } = resource;
  return `[resource: ${uri}, ${mimeType}, ${bytesOf(blob)}]`;
}

const bytesOf = (base64: string): string => `${Buffer.byteLength(base64, "base64")} bytes`;
