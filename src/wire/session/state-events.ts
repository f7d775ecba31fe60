import * as z from "zod";
import { closedList } from "../explained-enum.ts";
import { errorCodes } from "../error-table.ts";
import { RequestIdSchema, SeqSchema, SessionIdSchema } from "../id-schemas.ts";
import { JsonObjectSchema } from "../json-schemas.ts";
import { agentEvent, event } from "./event-base.ts";
import { ToolOfferSchema } from "./offered-tools.ts";
import { NoticeCodeSchema, NoticeLevelSchema } from "./notices.ts";
import { BackgroundTaskSchema, ContextUsageSchema, EffortSchema } from "./shared-schemas.ts";
import { McpServerSchema } from "./shared-schemas.ts";
import { PermissionModeSchema, SessionStateSchema, TokenUsageSchema } from "./shared-schemas.ts";

const by = z.string().optional().describe("Name of the client that asked for it.");
const count = z.int().min(0);

export const TodoItemSchema = z
  .object({
    id: z.string().optional().describe("Claude Code's own name for it, where it has one."),
    content: z.string(),
    status: z.enum(["pending", "in_progress", "completed"]),
    active_form: z.string().optional().describe("The words to show while it is in progress."),
  })
  .meta({ id: "TodoItem" });
export type TodoItem = z.infer<typeof TodoItemSchema>;

export const NoticeEventSchema = event("notice", "Something that people should know.", {
  code: NoticeCodeSchema,
  message: z.string(),
  level: NoticeLevelSchema.optional().describe("Where the CLI says how much attention it wants."),
  hint: z.string().optional().describe("What to do next."),
  request_id: RequestIdSchema.optional().describe("Approve it to go on, or deny it."),
  data: JsonObjectSchema.optional(),
});

export const stateEvents = [
  event("status", "The session's state has changed.", { state: SessionStateSchema }),
  agentEvent("todo", "The model's list of things to do, whole.", {
    items: z.array(TodoItemSchema),
  }),
  agentEvent("usage", "Tokens used so far in this turn.", {
    usage: TokenUsageSchema,
    context: ContextUsageSchema.optional(),
  }),
  agentEvent("retry", "The model's API failed and will be asked again.", {
    attempt: z.int().min(1),
    max: z.int().min(1).describe("The attempt after which it gives up."),
    delay_ms: z.number().min(0),
    status: z.int().optional().describe("HTTP status; absent when there was no answer."),
    code: z.enum(errorCodes),
  }),
  event(
    "compacting",
    "A summary of the conversation is being made; compacted follows, or the notice compaction_failed.",
    {},
  ),
  event("compacted", "The conversation was replaced by a summary to make room.", {
    pre_tokens: count,
    post_tokens: count.optional(),
    trigger: z.enum(["auto", "manual"]),
  }),
  event("mode_changed", "The permission mode has changed.", {
    mode: PermissionModeSchema,
    previous: PermissionModeSchema.optional(),
    by,
  }),
  event("model_changed", "The model, or how much it thinks, has changed.", {
    model: z.string().min(1),
    previous: z.string().optional(),
    effort: EffortSchema.nullable().optional().describe("Null: the model's own choice."),
    alias: z
      .string()
      .optional()
      .describe(
        "The requested name, if the model that the CLI uses for it can change, for example with the mode.",
      ),
    by,
  }),
  event("session_changed", "The CLI began a new session, as after /clear. The log goes on.", {
    session_id: SessionIdSchema,
    previous: SessionIdSchema.optional().describe("Absent for the first session of the log."),
    forked_from: SessionIdSchema.optional().describe("It begins as a copy of that session."),
    forked_at: z
      .string()
      .min(1)
      .optional()
      .describe(
        "Claude Code's id of the last row that the copy has. Absent: the copy has all rows.",
      ),
  }),
  event(
    "earlier",
    "What was said before this log began, in a session that goes on here and was begun elsewhere.",
    {
      messages: z
        .array(z.object({ role: z.enum(["user", "assistant"]), text: z.string() }))
        .describe("The newest of them, oldest first. Nothing is to be done about them."),
      omitted: count.describe("How many older messages there are."),
    },
  ),
  event("title_changed", "The conversation has another title.", {
    title: z.string().min(1),
    by: by.describe("Name of the client that chose it; absent: the CLI found it."),
  }),
  event(
    "mcp_servers_set",
    "A client put other MCP servers in the place of those that clients set before. mcp_status tells how they are.",
    { servers: z.array(z.string()).describe("Their names."), by },
  ),
  event("mcp_status", "The state of all MCP servers.", { servers: z.array(McpServerSchema) }),
  event("background_tasks", "All tasks that run in the background now, whole.", {
    tasks: z.array(BackgroundTaskSchema),
  }),
  event("tools_offered", "A client offers these tools to the model.", ToolOfferSchema.shape),
  event("tools_withdrawn", "Tools of a client are gone.", {
    client: ToolOfferSchema.shape.client,
    namespace: ToolOfferSchema.shape.namespace,
    reason: closedList({
      withdrawn: "The client has withdrawn them.",
      away: "The client was gone for longer than its away_ms.",
      host_restarted: "The session's process was restarted; the client has to offer them again.",
      refused: "Claude Code did not take them.",
    }),
  }),
  NoticeEventSchema,
  event(
    "snapshot_begin",
    "What follows, up to snapshot_end, repeats all that counts so far. Skip it if you have that.",
    {
      upto: SeqSchema.describe("The last event that the snapshot covers."),
      items: count.optional().describe("How many events stand between here and snapshot_end."),
      omitted: z.boolean().optional().describe("Older turns were left out; history has them."),
    },
  ),
  event("snapshot_end", "The snapshot is complete; later events follow.", { upto: SeqSchema }),
  event("closing", "The session's process is about to end.", {
    reason: closedList({
      signal: "The process was asked to end, as by Ctrl-C.",
      shutdown: "By the command shutdown.",
      linger: "No controlling client, and nothing to do, for as long as --linger-ms allows.",
      failed: "It cannot go on; message says why.",
    }),
    message: z.string().optional(),
  }),
] as const;
