import * as z from "zod";
import { atMost, textWithin } from "../bounded-schemas.ts";
import type { Checked } from "../check-message.ts";
import { check } from "../check-message.ts";

// What agents of a team say to each other.

export const MAX_CONTENT_BYTES = 1_048_576;
export const MAX_THINKING_BYTES = 102_400;
const MAX_PATH = 1000;
const MAX_DEPENDENCIES = 100;
/** A hundred years. Times far beyond that are not exact numbers. */
const MAX_TTL_SECONDS = 3_155_760_000;

/** In lower case, so that two spellings of one id are one message. */
export const MessageIdSchema = z.uuid().toLowerCase();

/** Part of file names and of tool names, so the alphabet is narrow. */
export const AgentIdSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, {
    error: "expected letters, digits, _ and -, beginning with a letter or digit, at most 64",
  })
  .describe("Name of an agent in its team.");
export type AgentId = z.infer<typeof AgentIdSchema>;

export const MessageTypeSchema = z.enum([
  "task_request",
  "task_response",
  "task_complete",
  "task_failed",
  "info",
  "progress",
  "error",
  "ping",
  "pong",
  "shutdown",
]);
export type MessageType = z.infer<typeof MessageTypeSchema>;

export const PrioritySchema = z.enum(["low", "normal", "high", "urgent"]);
export type Priority = z.infer<typeof PrioritySchema>;

const time = z.iso.datetime({ offset: true });
const ttl = z
  .int()
  .min(1)
  .max(MAX_TTL_SECONDS)
  .describe("Seconds after which the message is not delivered any more.");
/** It is shown to a model on a line of its own, and must not begin another one. */
const label = z.string().regex(/^.{1,200}$/, {
  error: "expected 1 to 200 characters on one line",
});
const correlationId = label.describe("Shared by a request and its answers.");
const taskId = label;
const content = textWithin(MAX_CONTENT_BYTES).describe("At most 1,048,576 bytes.");
const thinking = textWithin(MAX_THINKING_BYTES).describe(
  "For people only, never shown to another agent. At most 102,400 bytes.",
);

export const MessageMetadataSchema = z
  .object({
    timestamp: time,
    priority: PrioritySchema.default("normal"),
    task_id: taskId.nullable().default(null),
    correlation_id: correlationId.nullable().default(null),
    retry_count: z.int().min(0).default(0),
    ttl: ttl.nullable().default(null),
  })
  .meta({ id: "MessageMetadata" });
export type MessageMetadata = z.infer<typeof MessageMetadataSchema>;

export const CCMessageSchema = z
  .object({
    id: MessageIdSchema,
    from_agent: AgentIdSchema,
    to_agent: AgentIdSchema,
    type: MessageTypeSchema,
    content,
    thinking: thinking.nullable().default(null),
    metadata: MessageMetadataSchema,
    timestamp: time.describe("When it was sent."),
    reply_to: MessageIdSchema.nullable()
      .default(null)
      .describe("The message that this one answers."),
    root_id: MessageIdSchema.describe("The message that began the exchange."),
    hop: z.int().min(0).describe("Distance from the root, which has 0."),
    path: atMost(MAX_PATH, z.array(AgentIdSchema)).describe(
      "The agents that the exchange has passed, oldest first.",
    ),
  })
  .meta({ id: "CCMessage", description: "A message from one agent to another." });
export type CCMessage = z.infer<typeof CCMessageSchema>;

/** Fails with `message_too_large` on an oversized content or thinking, else with `invalid_params`. */
export function parseCCMessage(value: unknown): Checked<CCMessage> {
  return check(CCMessageSchema, value, "message");
}

export const SendMessageInputSchema = z
  .object({
    to: AgentIdSchema,
    content,
    type: MessageTypeSchema.optional().describe(
      "task_response with reply_to, task_request without, when absent.",
    ),
    thinking: thinking.optional(),
    reply_to: MessageIdSchema.optional().describe("The message that this one answers."),
    wait: z.boolean().default(false).describe("Return the answer instead of a receipt."),
    metadata: z
      .object({
        priority: PrioritySchema.optional(),
        task_id: taskId.optional(),
        correlation_id: correlationId.optional(),
        ttl: ttl.optional(),
        depends_on: atMost(MAX_DEPENDENCIES, z.array(MessageIdSchema))
          .optional()
          .describe("Tasks that have to be completed before this one is delivered."),
      })
      .optional(),
  })
  .meta({ id: "SendMessageInput", description: "What the tool send_message takes." });
export type SendMessageInput = z.infer<typeof SendMessageInputSchema>;

/** Fails as `parseCCMessage` does. */
export function parseSendMessageInput(value: unknown): Checked<SendMessageInput> {
  return check(SendMessageInputSchema, value, "send_message");
}
