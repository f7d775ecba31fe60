import * as z from "zod";
import type { JsonObject } from "../wire/json.ts";
import { JsonObjectSchema } from "../wire/json-schemas.ts";

/**
 * The part of Anthropic's Messages API that the Claude Code CLI uses. Requests are read leniently (unknown fields
 * pass through to the journal); answers are typed exactly.
 */
const BlockSchema = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  /** Of a `tool_use`. */
  id: z.string().optional(),
  name: z.string().optional(),
  /** Of a `tool_result`. */
  tool_use_id: z.string().optional(),
  is_error: z.boolean().nullish(),
});
const ContentSchema = z.union([z.string(), z.array(BlockSchema)]);

export const MessagesRequestSchema = z.looseObject({
  model: z.string(),
  max_tokens: z.number().optional(),
  stream: z.boolean().optional(),
  system: ContentSchema.optional(),
  tools: z.array(z.looseObject({ name: z.string() })).optional(),
  messages: z.array(z.looseObject({ role: z.string(), content: ContentSchema })),
  metadata: JsonObjectSchema.optional(),
});
export type MessagesRequest = z.infer<typeof MessagesRequestSchema>;
export type RequestMessage = MessagesRequest["messages"][number];
export type RequestBlock = z.infer<typeof BlockSchema>;

export const stopReasons = [
  "end_turn",
  "tool_use",
  "max_tokens",
  "stop_sequence",
  "pause_turn",
  "refusal",
] as const;
export type ModelStopReason = (typeof stopReasons)[number];

export interface Usage {
  input_tokens: number;
  output_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
}

export type AnswerBlock =
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "text"; text: string }
  | { type: "tool_use"; id: string; name: string; input: JsonObject };

/** A whole answer, as the API returns it when `stream` is off. */
export interface AnswerMessage {
  id: string;
  type: "message";
  role: "assistant";
  model: string;
  content: AnswerBlock[];
  stop_reason: ModelStopReason;
  stop_sequence: null;
  usage: Usage;
}

type Delta =
  | { type: "text_delta"; text: string }
  | { type: "thinking_delta"; thinking: string }
  | { type: "signature_delta"; signature: string }
  | { type: "input_json_delta"; partial_json: string };

/** One server-sent event of a streamed answer. `event:` repeats `type`. */
export type StreamEvent =
  | {
      type: "message_start";
      message: Omit<AnswerMessage, "stop_reason"> & { stop_reason: null };
    }
  | { type: "content_block_start"; index: number; content_block: AnswerBlock }
  | { type: "content_block_delta"; index: number; delta: Delta }
  | { type: "content_block_stop"; index: number }
  | {
      type: "message_delta";
      delta: { stop_reason: ModelStopReason; stop_sequence: null };
      usage: Usage;
    }
  | { type: "message_stop" }
  | { type: "ping" }
  | { type: "error"; error: { type: string; message: string } };

interface ApiFailure {
  type: string;
  message: string;
}

const failures: Readonly<Record<number, ApiFailure>> = {
  400: { type: "invalid_request_error", message: "Invalid request" },
  401: { type: "authentication_error", message: "invalid x-api-key" },
  402: { type: "billing_error", message: "Your credit balance is too low" },
  403: { type: "permission_error", message: "Request not allowed" },
  404: { type: "not_found_error", message: "Not found" },
  413: { type: "request_too_large", message: "Request exceeds the maximum size" },
  429: { type: "rate_limit_error", message: "This request would exceed your rate limit" },
  500: { type: "api_error", message: "Internal server error" },
  504: { type: "timeout_error", message: "Request timed out" },
  529: { type: "overloaded_error", message: "Overloaded" },
};

/** The API's own text for this HTTP status: the CLI distinguishes failures by it. */
export function apiFailureOf(status: number): ApiFailure {
  const other = { type: status < 500 ? "invalid_request_error" : "api_error", message: "Failed" };
  return failures[status] ?? other;
}

/** The body of every unsuccessful answer. */
export function errorBody(type: string, message: string): JsonObject {
  return { type: "error", error: { type, message } };
}

/** A rough count, four bytes per token, so that longer conversations cost more. */
export function estimateTokens(value: unknown): number {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return Math.max(1, Math.ceil(Buffer.byteLength(text) / 4));
}
