import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultOutput,
} from "@ai-sdk/provider";
import type { MessageContent } from "../../engine/index.ts";
import type { ContentBlock } from "../../wire/content.ts";
import { errorOf } from "../../wire/errors.ts";
import type { EarlierMessage } from "../to-prompt.ts";
import { tellEarlier, text, toContent } from "../to-prompt.ts";

/** What a new session begins with. */
export interface PromptOpening {
  system: string | undefined;
  content: MessageContent;
}

const GO_ON = "Go on from the end of the conversation above.";
const ANSWERED =
  "These calls of yours were answered when this session did not wait for them any more. Go on from their results.";

/** @param onlyNew the resumed session knows what was said before. */
export function openingOf(prompt: LanguageModelV4Prompt, onlyNew = false): PromptOpening {
  const system = prompt.flatMap((message) => (message.role === "system" ? [message.content] : []));
  const spoken = prompt.filter(({ role }) => role !== "system");
  const newFrom = spoken.findLastIndex(({ role }) => role !== "user") + 1;
  const asked = spoken.slice(newFrom).flatMap(blocksOf);
  const before = spoken.slice(0, newFrom);
  const earlier = onlyNew
    ? tellEarlier(newlyAnswered(before).map(toEarlier), ANSWERED)
    : tellEarlier(before.map(toEarlier));
  return {
    system: system.length > 0 ? system.join("\n\n") : undefined,
    content: toContent([...earlier, ...(asked.length > 0 ? asked : [text(GO_ON)])]),
  };
}

/** The last answer's calls with their results; nothing where it has no results. */
function newlyAnswered(messages: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const tail = messages.slice(messages.findLastIndex(({ role }) => role === "assistant"));
  return tail.some(({ role }) => role === "tool") ? tail : [];
}

/** What the user said since the last answer. */
export const newWords = (prompt: LanguageModelV4Prompt): ContentBlock[] =>
  prompt
    .slice(prompt.findLastIndex(({ role }) => role === "assistant") + 1)
    .filter(({ role }) => role === "user")
    .flatMap(blocksOf);

const speakers = { system: "System", user: "User", assistant: "Assistant", tool: "Tool results" };

const toEarlier = (message: LanguageModelV4Message): EarlierMessage => ({
  speaker: speakers[message.role],
  blocks: blocksOf(message),
});

function blocksOf(message: LanguageModelV4Message): ContentBlock[] {
  if (message.role === "system") return [text(message.content)];
  return message.content.flatMap((part): ContentBlock[] => {
    switch (part.type) {
      case "text":
        return part.text === "" ? [] : [text(part.text)];
      case "file":
        return [blockOfFile(part)];
      case "tool-call":
        return [
          text(`[called ${part.toolName}, ${part.toolCallId}: ${JSON.stringify(part.input)}]`),
        ];
      case "tool-result":
        return [
          text(`[${part.toolName}, ${part.toolCallId}, gave:]`),
          ...outputBlocks(part.output),
        ];
      default:
        return [];
    }
  });
}

function outputBlocks(output: LanguageModelV4ToolResultOutput): ContentBlock[] {
  switch (output.type) {
    case "text":
    case "error-text":
      return output.value === "" ? [] : [text(output.value)];
    case "json":
    case "error-json":
      return [text(JSON.stringify(output.value))];
    case "execution-denied":
      return [text(denialText(output.reason))];
    default:
      return output.value.flatMap((part): ContentBlock[] => {
        if (part.type === "text") return part.text === "" ? [] : [text(part.text)];
        if (part.type !== "file") return [text(notShown("A part of the result"))];
        return [fileBlock(part) ?? text(notShown(nameOf(part)))];
      });
  }
}

export const denialText = (reason: string | undefined): string =>
  `The user denied this call${reason === undefined ? "." : `: ${reason}`}`;

type FileLike = Pick<LanguageModelV4FilePart, "data" | "mediaType" | "filename">;

/** A part that vanished silently would seem never to have existed. */
export const notShown = (what: string): string => `[${what} cannot be shown here.]`;

export const nameOf = ({ mediaType, filename }: Omit<FileLike, "data">): string =>
  `A file${filename === undefined ? "" : ` ${filename}`} of type ${mediaType}`;

/** @throws `invalid_params` for what Claude Code cannot take. */
function blockOfFile(file: FileLike): ContentBlock {
  const block = fileBlock(file);
  if (block) return block;
  throw errorOf("invalid_params", `Claude Code cannot be shown a file of type ${file.mediaType}.`, {
    hint: "Send images, PDF or text.",
  });
}

function fileBlock({ data, mediaType, filename }: FileLike): ContentBlock | undefined {
  if (data.type === "text")
    return document({ type: "text", media_type: "text/plain", data: data.text }, filename);
  const isImage = mediaType === "image" || mediaType.startsWith("image/");
  if (data.type === "url") {
    const source = { type: "url", url: data.url.toString() } as const;
    return isImage ? { type: "image", source } : document(source, filename);
  }
  if (data.type !== "data") return undefined;
  const base64 = toBase64(data.data);
  if (isImage) {
    const media_type = imageType(mediaType, base64);
    return { type: "image", source: { type: "base64", media_type, data: base64 } };
  }
  if (mediaType === "application/pdf") {
    return document({ type: "base64", media_type: mediaType, data: base64 }, filename);
  }
  if (!mediaType.startsWith("text/")) return undefined;
  const words = Buffer.from(base64, "base64").toString("utf8");
  return document({ type: "text", media_type: "text/plain", data: words }, filename);
}

type DocumentSource = Extract<ContentBlock, { type: "document" }>["source"];

const document = (source: DocumentSource, title: string | undefined): ContentBlock => ({
  type: "document",
  source,
  ...(title !== undefined && { title }),
});

export const toBase64 = (data: Uint8Array | string): string =>
  typeof data === "string" ? data : Buffer.from(data).toString("base64");

/** By the first bytes, for callers that only know that it is an image. */
function imageType(mediaType: string, base64: string): string {
  if (mediaType !== "image" && !mediaType.includes("/*")) return mediaType;
  const openings = { "/9j/": "image/jpeg", R0lGOD: "image/gif", UklGR: "image/webp" };
  const found = Object.entries(openings).find(([opening]) => base64.startsWith(opening));
  return found?.[1] ?? "image/png";
}
