import * as z from "zod";
import { BlobIdSchema, LogIdSchema, SeqSchema, TimestampSchema } from "../id-schemas.ts";
import { policyRuleFields } from "../policy-rule.ts";
import { SessionEventSchema } from "../session/events.ts";
import { PermissionModeSchema } from "../session/shared-schemas.ts";
import { TeamEventSchema } from "./events.ts";
import { AgentIdSchema, CCMessageSchema } from "./messages.ts";
import { TaskSchema } from "./task.ts";

// What a team answers to the methods that only read.

const count = z.int().min(0);

export const TimelinePageSchema = z
  .object({
    log_id: LogIdSchema.describe("Of the timeline."),
    events: z.array(TeamEventSchema).describe("Oldest first."),
    more: z.boolean().describe("There may be more events in the direction that was asked for."),
    before: SeqSchema.describe("Ask for events before this one to go on to older ones."),
    after: SeqSchema.describe("Ask for events after this one to go on to newer ones."),
  })
  .meta({ id: "TimelinePage" });
export type TimelinePage = z.infer<typeof TimelinePageSchema>;

export const AgentHistorySchema = z
  .object({
    agent: AgentIdSchema,
    log_id: LogIdSchema.describe("Of the log of the agent's session."),
    events: z.array(SessionEventSchema).describe("Oldest first, as the session tells them."),
    more: z.boolean().describe("There are still older ones."),
  })
  .meta({ id: "AgentHistory" });
export type AgentHistory = z.infer<typeof AgentHistorySchema>;

export const AgentBlobSchema = z
  .object({
    agent: AgentIdSchema,
    blob: BlobIdSchema,
    bytes: count.describe("Size of the whole payload."),
    offset: count.describe("Where this part begins."),
    data: z.string().describe("The bytes of this part in base64."),
  })
  .meta({ id: "AgentBlob" });
export type AgentBlob = z.infer<typeof AgentBlobSchema>;

const amounts = { usd: z.number().min(0), tokens: count, turns: count };

const SpentSchema = z.object(amounts).meta({ id: "Spent" });

const BudgetSchema = z
  .object(amounts)
  .partial()
  .meta({ id: "Budget", description: "What may be spent. An amount that is absent has no limit." });

export const BudgetsSchema = z
  .object({
    budgets: z.array(
      z.object({
        account: z
          .enum(["team", "agent", "task"])
          .describe("Whose: a task's account also pays for all that the task leads to."),
        id: z.string().optional().describe("Of the agent or task."),
        title: z.string().optional().describe("Of the task."),
        limit: BudgetSchema,
        spent: SpentSchema,
      }),
    ),
  })
  .meta({ id: "Budgets" });
export type Budgets = z.infer<typeof BudgetsSchema>;

const names = z.array(z.string());

const McpServerFileSchema = z
  .object({
    name: z.string(),
    type: z.enum(["stdio", "http", "sse"]),
    command: z.string().optional(),
    args: names.optional(),
    url: z.string().optional().describe("Without a user, a password, a query and a fragment."),
    env: names.optional().describe("Names of its variables. Their values are left out."),
    headers: names.optional().describe("Names of its headers. Their values are left out."),
  })
  .meta({ id: "McpServerFile" });

const AgentFileSchema = z
  .object({
    id: AgentIdSchema,
    description: z.string(),
    prompt: z.string(),
    model: z.string().optional(),
    mode: PermissionModeSchema,
    isolation: z.enum(["config", "home", "shared"]),
    tools: z.object({
      files: names.describe("Files of functions that are its tools."),
      only: names.optional().describe("The only tools of Claude Code that it has; absent: all."),
      allow: names,
      deny: names,
    }),
    mcp: z.array(McpServerFileSchema),
    may_message: z.array(AgentIdSchema).describe("Never itself."),
    may_interrupt: z.array(AgentIdSchema),
    workdir: z.string().describe("An absolute path."),
    worktree: z.boolean().describe("It works in a git worktree of its own, made from workdir."),
    budget: BudgetSchema,
  })
  .meta({ id: "AgentFile" });

const ms = z.number().min(0);

export const TeamDescriptionSchema = z
  .object({
    name: z.string(),
    description: z.string().optional(),
    lead: AgentIdSchema,
    trust: z.boolean(),
    confirm_roles: z.boolean(),
    continue_at_reset: z
      .boolean()
      .optional()
      .describe(
        "Agents go on by themselves when a usage limit resets. Teams of older versions do not say it.",
      ),
    agents: z.array(AgentFileSchema),
    policy: z.array(z.object({ agents: z.array(AgentIdSchema).optional(), ...policyRuleFields })),
    limits: z.object({
      content_bytes: count,
      thinking_bytes: count,
      per_sender_per_minute: count,
      per_pair_per_minute: count,
      hops: count,
      messages_per_root: count,
      inline_bytes: count,
      failed_starts: count,
      delivery_attempts: count,
    }),
    timeouts: z
      .object({
        start_ms: ms,
        send_ms: ms,
        receive_ms: ms,
        task_ms: ms,
        idle_ms: ms,
        linger_ms: ms,
        approval_ms: ms.describe("0 waits for ever."),
        stable_ms: ms,
      })
      .describe("In milliseconds; a team file has seconds."),
    budget: z.object({ team: BudgetSchema, task: BudgetSchema }),
    warnings: names.describe("What is probably a mistake in the file."),
  })
  .meta({ id: "TeamDescription", description: "A team file as the team's process read it." });
export type TeamDescription = z.infer<typeof TeamDescriptionSchema>;

export const TaskPageSchema = z
  .object({
    tasks: z.array(TaskSchema),
    before: z
      .string()
      .optional()
      .describe("For the next page, which may have tasks even if this one has none."),
  })
  .meta({ id: "TaskPage" });
export type TaskPage = z.infer<typeof TaskPageSchema>;

export const TaskReportSchema = z
  .object({
    task: TaskSchema,
    parents: z.array(TaskSchema).describe("The tasks that it is a part of, the nearest first."),
    children: z.array(TaskSchema).describe("Its parts, oldest first."),
    dependencies: z.array(TaskSchema).describe("The tasks that it depends on."),
    dependents: z.array(TaskSchema).describe("The tasks of its exchange that depend on it."),
    messages: z
      .array(CCMessageSchema)
      .describe("The request and what answers it, oldest first. Long content is cut."),
    spent: SpentSchema.describe("Of the task with all that it led to."),
  })
  .meta({ id: "TaskReport" });
export type TaskReport = z.infer<typeof TaskReportSchema>;

const latency = z.number().min(0).nullable().describe("Null when none was delivered.");

export const LogStatsSchema = z
  .object({
    since: TimestampSchema,
    until: TimestampSchema,
    bucket_ms: count,
    buckets: z
      .array(
        z.object({
          at: TimestampSchema.describe("When the bucket begins."),
          count: count.describe("Lines of the communication log."),
          failures: count,
          p50_ms: latency,
          p95_ms: latency,
        }),
      )
      .describe("Oldest first, without empty ones."),
    next: TimestampSchema.optional().describe(
      "There was too much to count at once: ask again with this as since.",
    ),
  })
  .meta({ id: "LogStats" });
export type LogStats = z.infer<typeof LogStatsSchema>;

/** The answer to each method that only reads, as far as it has a schema. */
export const readResults = {
  timeline: TimelinePageSchema,
  agent_history: AgentHistorySchema,
  agent_blob: AgentBlobSchema,
  team: TeamDescriptionSchema,
  budgets: BudgetsSchema,
  tasks: TaskPageSchema,
  task: TaskReportSchema,
  log_stats: LogStatsSchema,
} as const;
