/** A global symbol, so that content made by another copy of this module counts too. */
const mark = Symbol.for("agent-switchboard.content");
type Marked = { readonly [mark]: "block" | "result" };

export interface TextContent {
  type: "text";
  text: string;
}
export interface ImageContent {
  type: "image";
  /** Base64. */
  data: string;
  mimeType: string;
}
export interface AudioContent {
  type: "audio";
  /** Base64. */
  data: string;
  mimeType: string;
}
export interface EmbeddedResource {
  type: "resource";
  resource: { uri: string; mimeType?: string } & ({ text: string } | { blob: string });
}
export interface ResourceLink {
  type: "resource_link";
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
}

/** One content block, in MCP's form. */
export type McpContentBlock =
  | TextContent
  | ImageContent
  | AudioContent
  | EmbeddedResource
  | ResourceLink;

/** A tool's whole result, in MCP's form. */
export interface McpToolResult {
  content: McpContentBlock[];
  structuredContent?: Record<string, unknown>;
  /** The tool ran and failed; the content says how. */
  isError?: boolean;
  _meta?: Record<string, unknown>;
}

export type MarkedBlock = McpContentBlock & Marked;
export type MarkedResult = McpToolResult & Marked;

const block = <Block extends McpContentBlock>(made: Block): Block & Marked => ({
  ...made,
  [mark]: "block",
});

const result = (made: McpToolResult): MarkedResult => ({ ...made, [mark]: "result" });

/**
 * What a handler may return besides strings and JSON: one block, a list of blocks, or a whole result. Only what is
 * made here counts as MCP content, so that JSON of the same shape stays JSON.
 */
export const content = {
  text: (text: string) => block({ type: "text", text }),

  /** @param data bytes, or base64. */
  image: (data: Uint8Array | string, mimeType: string) =>
    block({ type: "image", data: toBase64(data), mimeType }),

  /** @param data bytes, or base64. */
  audio: (data: Uint8Array | string, mimeType: string) =>
    block({ type: "audio", data: toBase64(data), mimeType }),

  /** The content of a file or the like: a string is text, bytes are a blob. */
  resource: (uri: string, body: string | Uint8Array, mimeType?: string) =>
    block({
      type: "resource",
      resource: {
        uri,
        ...(mimeType !== undefined && { mimeType }),
        ...(typeof body === "string" ? { text: body } : { blob: toBase64(body) }),
      },
    }),

  /** A link to something, without its content. */
  resourceLink: (link: Omit<ResourceLink, "type">) => block({ type: "resource_link", ...link }),

  /** A whole result, passed on unchanged. Its blocks may come from anywhere, such as another MCP server. */
  result,

  /** A failure that the tool foresaw, in its own words. */
  error: (text: string) => result({ content: [{ type: "text", text }], isError: true }),
} as const;

export const isMarkedBlock = (value: unknown): value is MarkedBlock => markOf(value) === "block";
export const isMarkedResult = (value: unknown): value is MarkedResult => markOf(value) === "result";

function markOf(value: unknown): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, mark) : undefined;
}

function toBase64(data: Uint8Array | string): string {
  if (typeof data === "string") return data;
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64");
}
