import * as z from "zod";
import { RequestIdSchema, TimestampSchema, TurnIdSchema } from "../id-schemas.ts";
import {
  BackgroundTaskSchema,
  ContextUsageSchema,
  EffortSchema,
} from "../session/shared-schemas.ts";
import { McpServerSchema, PermissionModeSchema } from "../session/shared-schemas.ts";
import { AgentStateSchema } from "./events.ts";
import { AgentIdSchema } from "./messages.ts";

const count = z.int().min(0);

/** What is known of one agent of a team now. */
export const AgentStatusSchema = z
  .object({
    id: AgentIdSchema,
    description: z.string(),
    state: AgentStateSchema,
    reason: z.string().optional().describe("Why it is in that state, when that is known."),
    since: TimestampSchema.optional().describe("When the agent got into this state."),
    lead: z.boolean(),
    host: z
      .string()
      .optional()
      .describe("The machine that it runs on, as it joined the team. Absent: that of the team."),
    pid: z.int().optional(),
    socket: z
      .string()
      .optional()
      .describe("Of its session. Absent when the agent runs on another machine."),
    observe_socket: z.string().optional().describe("The same for those who only watch."),
    state_dir: z
      .string()
      .optional()
      .describe("Where its session keeps its log, also while it has no process."),
    inbox: count.describe("Messages that wait for it."),
    pending: count.describe("Decisions that it waits for."),
    cost_usd: z.number().min(0),
    tokens: count.optional().describe("Tokens of all its turns."),
    turns: count,
    restarts: count
      .optional()
      .describe("How often it was lost and started again since it came to the team."),
    model: z.string().optional().describe("Absent until its session has named it."),
    effort: EffortSchema.nullable().optional().describe("Null: the model's default."),
    mode: PermissionModeSchema.optional(),
    context: ContextUsageSchema.optional(),
    turn: z
      .object({ id: TurnIdSchema, started_at: TimestampSchema })
      .optional()
      .describe("The turn that runs now."),
    current: z
      .object({ request_id: RequestIdSchema, tool: z.string(), summary: z.string() })
      .optional()
      .describe("The newest tool call of the turn that has no result yet."),
    background: z
      .array(BackgroundTaskSchema)
      .optional()
      .describe("What runs in the background. Absent: nothing."),
    continues_at: TimestampSchema.optional().describe(
      "A usage limit has ended its turn, and it goes on by itself at this time.",
    ),
    mcp_servers: z
      .array(McpServerSchema)
      .optional()
      .describe("Where its tools come from, beside the team's own, as its session last told."),
  })
  .meta({ id: "AgentStatus" });
export type AgentStatus = z.infer<typeof AgentStatusSchema>;
