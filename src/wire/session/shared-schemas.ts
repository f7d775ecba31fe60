import * as z from "zod";
import { atMost } from "../bounded-schemas.ts";
import { RequestIdSchema, TimestampSchema } from "../id-schemas.ts";
import { JsonObjectSchema } from "../json-schemas.ts";

// Words that commands, events and answers of the session protocol share.

/** Types of messages that a later version will use. There are none now. */
export const reservedTypes: readonly string[] = [];

export const PermissionModeSchema = z
  .enum(["default", "acceptEdits", "bypassPermissions", "plan", "dontAsk", "auto"])
  .describe("Claude Code's permission mode.");
export type PermissionMode = z.infer<typeof PermissionModeSchema>;

export const EffortSchema = z
  .enum(["low", "medium", "high", "xhigh", "max"])
  .describe("How much the model thinks.");
export type Effort = z.infer<typeof EffortSchema>;

export const MessagePrioritySchema = z
  .enum(["now", "next", "later"])
  .describe(
    "While a turn runs: cut it short, join it after the current tool, or wait for its end.",
  );
export type MessagePriority = z.infer<typeof MessagePrioritySchema>;

export const ApprovalScopeSchema = z
  .enum(["once", "session", "always"])
  .describe("How far a permission reaches: this call, this session, or the project's settings.");
export type ApprovalScope = z.infer<typeof ApprovalScopeSchema>;

export const SessionStateSchema = z
  .enum(["idle", "running", "waiting"])
  .describe("Waiting means that a person has to answer before the turn can go on.");
export type SessionActivity = z.infer<typeof SessionStateSchema>;

const MAX_ANSWERS = 100;

const AnswerSchema = z.union([z.string(), atMost(MAX_ANSWERS, z.array(z.string()))], {
  error: "expected string or array of strings",
});

export const AnswersSchema = atMost(MAX_ANSWERS, z.record(z.string(), AnswerSchema)).describe(
  "By the text of the question: a label, several labels, or a text of one's own.",
);
export type Answers = z.infer<typeof AnswersSchema>;

const tokens = z.int().min(0);

export const TokenUsageSchema = z
  .object({
    input_tokens: tokens,
    output_tokens: tokens,
    cache_read_input_tokens: tokens.optional(),
    cache_creation_input_tokens: tokens.optional(),
  })
  .meta({ id: "TokenUsage" });
export type TokenUsage = z.infer<typeof TokenUsageSchema>;

export const ContextUsageSchema = z
  .object({
    tokens: tokens.describe("Tokens of the conversation as it stands."),
    window: tokens.describe("Tokens that fit before the conversation is compacted."),
  })
  .meta({ id: "ContextUsage" });
export type ContextUsage = z.infer<typeof ContextUsageSchema>;

export const McpServerSchema = z
  .object({
    name: z.string().min(1),
    status: z.enum(["connected", "pending", "failed", "needs_auth", "disabled"]),
    tools: z
      .array(z.string())
      .optional()
      .describe(
        "Names of its tools; of one that failed or is not up yet, those that are missing, if they are known.",
      ),
    error: z.string().optional().describe("Why it failed."),
    error_type: z
      .string()
      .optional()
      .describe("Of one that failed: BridgeStartupError, as in the error table."),
  })
  .meta({ id: "McpServer" });
export type McpServer = z.infer<typeof McpServerSchema>;

export const ConnectedClientSchema = z
  .object({
    client: z.string().min(1).describe("Its name."),
    read_only: z.boolean().describe("It can watch, and nothing else."),
  })
  .meta({ id: "ConnectedClient" });
export type ConnectedClient = z.infer<typeof ConnectedClientSchema>;

export const GrantSchema = z
  .object({
    id: RequestIdSchema.describe("The request whose approval gave it; revoke takes it."),
    scope: z.enum(["session", "always"]),
    rule: z.string().describe("What it allows: rules in Claude Code's spelling, or directories."),
    granted: z
      .array(JsonObjectSchema)
      .describe("The permission updates behind it, as the Agent SDK gives them."),
    file: z
      .string()
      .optional()
      .describe("Of scope always: the settings file that has it for later sessions."),
    by: z.string().optional().describe("Name of the client that gave it."),
    at: TimestampSchema,
  })
  .meta({ id: "Grant" });
export type Grant = z.infer<typeof GrantSchema>;

export const BackgroundTaskSchema = z
  .object({
    task_id: z.string().min(1).describe("Claude Code's own name for it."),
    kind: z
      .string()
      .describe("local_bash is a command, local_agent a sub-agent; there are others."),
    description: z.string().describe("A long one is cut."),
    agent: z.string().optional().describe("Kind of the sub-agent."),
  })
  .meta({ id: "BackgroundTask" });
export type BackgroundTask = z.infer<typeof BackgroundTaskSchema>;
