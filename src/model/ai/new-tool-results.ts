import type { LanguageModelV4Prompt, LanguageModelV4ToolResultOutput } from "@ai-sdk/provider";
import type { ContentBlock, MarkedResult } from "../../bridge/index.ts";
import { content } from "../../bridge/index.ts";
import { denialText, nameOf, notShown, toBase64 } from "./read-prompt.ts";

/** The results that came since the last answer, by call. */
export function newResults(prompt: LanguageModelV4Prompt): Map<string, MarkedResult> {
  const tail = prompt.slice(prompt.findLastIndex(({ role }) => role === "assistant") + 1);
  const parts = tail.flatMap((message) => (message.role === "tool" ? message.content : []));
  return new Map(
    parts.flatMap((part) =>
      part.type === "tool-result" ? [[part.toolCallId, toResult(part.output)] as const] : [],
    ),
  );
}

/** For a call without a result from the caller. */
export const noResult = content.error(
  "The program that offers this tool went on without giving a result. Go on without it.",
);

function toResult(output: LanguageModelV4ToolResultOutput): MarkedResult {
  switch (output.type) {
    case "text":
      return content.result({ content: [{ type: "text", text: output.value }] });
    case "json":
      return content.result({ content: [{ type: "text", text: JSON.stringify(output.value) }] });
    case "error-text":
      return content.error(output.value);
    case "error-json":
      return content.error(JSON.stringify(output.value));
    case "execution-denied":
      return content.error(denialText(output.reason));
    default:
      return content.result({ content: output.value.map(blockOf) });
  }
}

type ContentPart = Extract<LanguageModelV4ToolResultOutput, { type: "content" }>["value"][number];

function blockOf(part: ContentPart): ContentBlock {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type !== "file") return { type: "text", text: notShown("A part of the result") };
  const { data, mediaType: mimeType, filename = "file" } = part;
  switch (data.type) {
    case "text":
      return { type: "text", text: data.text };
    case "url":
      return { type: "resource_link", uri: data.url.toString(), name: filename, mimeType };
    case "data": {
      const base64 = toBase64(data.data);
      if (mimeType.startsWith("image/")) return { type: "image", data: base64, mimeType };
      // Claude Code would put it into a file, which a model without tools cannot read.
      if (mimeType.startsWith("text/")) {
        return { type: "text", text: Buffer.from(base64, "base64").toString("utf8") };
      }
      return { type: "resource", resource: { uri: `file:///${filename}`, mimeType, blob: base64 } };
    }
    default:
      return { type: "text", text: notShown(nameOf(part)) };
  }
}
