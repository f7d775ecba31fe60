import { fileURLToPath } from "node:url";
import type { ContentBlock, EmbeddedResource, PromptRequest } from "@agentclientprotocol/sdk";
import type { SessionCommandInput } from "../../client/index.ts";
import { errorOf } from "../../wire/errors.ts";

type Content = NonNullable<Extract<SessionCommandInput, { type: "message" }>["content"]>;
type Block = Content[number];

/** Media types that the model reads as documents. */
const DOCUMENT = "application/pdf";

const textBlocks = (text: string): Block[] => (text === "" ? [] : [{ type: "text", text }]);

const base64 = (media_type: string, data: string) =>
  ({ type: "base64", media_type, data }) as const;

/** `#L10:20`, `#L10-20` and `#L10` name lines. */
function linesOf(fragment: string): string {
  const [, first, last] = /\bL(\d+)(?:[:-]L?(\d+))?$/.exec(fragment) ?? [];
  if (first === undefined) return "";
  return last === undefined ? `#L${first}` : `#L${first}-${last}`;
}

/** Claude Code reads a file that is mentioned with an @. What is no file is only named. */
function mention(uri: string, name: string): string {
  const url = URL.canParse(uri) ? new URL(uri) : undefined;
  if (url?.protocol !== "file:") return `[@${name}](${uri})`;
  const lines = linesOf(url.hash);
  url.hash = "";
  url.search = "";
  const path = fileURLToPath(url);
  return /\s/.test(path) ? `@"${path}${lines}"` : `@${path}${lines}`;
}

function blocksOfResource({ resource }: EmbeddedResource): Block[] {
  const { uri } = resource;
  if ("text" in resource) {
    return textBlocks(`<context ref="${uri}">\n${resource.text}\n</context>`);
  }
  const mimeType = resource.mimeType ?? "application/octet-stream";
  if (mimeType.startsWith("image/")) {
    return [{ type: "image", source: base64(mimeType, resource.blob) }];
  }
  if (mimeType === DOCUMENT) {
    return [{ type: "document", source: base64(mimeType, resource.blob), title: uri }];
  }
  throw errorOf("invalid_params", `The model cannot read ${uri}: its media type is ${mimeType}.`, {
    hint: "Give it a text, an image or a PDF, or mention the file with its path.",
  });
}

function blocksOf(block: ContentBlock): Block[] {
  switch (block.type) {
    case "text":
      return textBlocks(block.text);
    case "image":
      return block.data === "" && block.uri?.startsWith("http")
        ? [{ type: "image", source: { type: "url", url: block.uri } }]
        : [{ type: "image", source: base64(block.mimeType, block.data) }];
    case "resource_link":
      return textBlocks(mention(block.uri, block.name));
    case "resource":
      return blocksOfResource(block);
    default:
      throw errorOf("invalid_params", `The model cannot read content of the type ${block.type}.`);
  }
}

/**
 * What the person said, for the session. A text alone stays a text, so that slash commands work.
 *
 * @throws `invalid_params` for content that the model cannot read, or when there is none.
 */
export function contentOfPrompt({ prompt }: PromptRequest): string | Content {
  const blocks = prompt.flatMap(blocksOf);
  const [first] = blocks;
  if (first === undefined) throw errorOf("invalid_params", "The prompt is empty.");
  if (blocks.every((block) => block.type === "text")) {
    return blocks.map((block) => block.text).join(blocks.length > 1 ? "\n" : "");
  }
  return blocks;
}
