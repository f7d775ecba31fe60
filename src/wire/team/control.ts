import { z } from "zod";
import type { Checked } from "../check.ts";
import { check } from "../check.ts";
import { CommunicationLogLevelSchema } from "./communication-log.ts";
import { LogIdSchema, RequestIdSchema, SeqSchema } from "../ids.ts";
import { PendingRequestSchema } from "../session/approval-events.ts";
import { AnswersSchema, ApprovalScopeSchema, McpServerSchema } from "../session/terms.ts";
import { AgentStateSchema } from "./events.ts";
import { AgentIdSchema, MessageIdSchema, MessageTypeSchema, PrioritySchema } from "./messages.ts";

// The control socket of a team: JSON-RPC 2.0 commands in, answers and numbered events out.

const MAX_NAME_LENGTH = 200;
const limit = z.int().min(1).max(1000);
const request_id = RequestIdSchema;

/** The params of each method. */
export const teamMethods = {
  hello: z.object({
    client: z
      .string()
      .min(1)
      .max(MAX_NAME_LENGTH)
      .describe("Who this client is, in records of who decided: a person, or a program."),
  }),
  attach: z.object({
    since: SeqSchema.describe("The last event that this client has; 0 for none."),
    log_id: LogIdSchema.optional(),
  }),
  ping: z.object({}),
  status: z.object({}),
  send: z.object({
    text: z.string().min(1).describe("What the user says to the lead."),
    id: MessageIdSchema.optional().describe("Sent twice, it counts once."),
    priority: PrioritySchema.default("normal"),
  }),
  tasks: z.object({
    all: z.boolean().default(false).describe("Also those that have ended."),
    limit: limit.default(200),
  }),
  cancel: z.object({ task: MessageIdSchema }),
  approvals: z.object({}),
  approve: z.object({ request_id, scope: ApprovalScopeSchema.default("once") }),
  deny: z.object({ request_id, reason: z.string().min(1).optional() }),
  answer: z.object({ request_id, answers: AnswersSchema }),
  log: z.object({
    level: CommunicationLogLevelSchema.default("INFO"),
    from: AgentIdSchema.optional(),
    to: AgentIdSchema.optional(),
    type: MessageTypeSchema.optional(),
    limit: limit.default(200),
    before: z
      .string()
      .optional()
      .describe("Only what is older than a page before: what that one gave as before."),
  }),
  message: z.object({ id: MessageIdSchema }),
  dead_letters: z.object({
    id: MessageIdSchema.optional().describe("Only this one, whatever became of it."),
    all: z.boolean().default(false).describe("Also those that were dealt with."),
    limit: limit.default(100),
  }),
  resend: z.object({
    id: MessageIdSchema.describe("Of the dead letter; it is sent under a new one."),
  }),
  discard: z.object({ id: MessageIdSchema }),
  restart: z.object({ agent: AgentIdSchema }),
  down: z.object({}),
} as const;

export type TeamMethod = keyof typeof teamMethods;
export type TeamParams<Method extends TeamMethod> = z.output<(typeof teamMethods)[Method]>;
export type TeamParamsInput<Method extends TeamMethod> = z.input<(typeof teamMethods)[Method]>;

export const isTeamMethod = (name: string): name is TeamMethod => Object.hasOwn(teamMethods, name);

/** Checks what a client sent along with a method. */
export function parseTeamParams<Method extends TeamMethod>(
  method: Method,
  params: unknown,
): Checked<TeamParams<Method>> {
  return check(teamMethods[method], params ?? {}, method) as Checked<TeamParams<Method>>;
}

const AgentStatusSchema = z
  .object({
    id: AgentIdSchema,
    description: z.string(),
    state: AgentStateSchema,
    lead: z.boolean(),
    pid: z.int().optional(),
    socket: z.string().describe("Of its session."),
    observe_socket: z.string().describe("The same for those who only watch."),
    state_dir: z
      .string()
      .optional()
      .describe("Where its session keeps its log, also while it has no process."),
    inbox: z.int().min(0).describe("Messages that wait for it."),
    pending: z.int().min(0).describe("Decisions that it waits for."),
    cost_usd: z.number().min(0),
    turns: z.int().min(0),
    mcp_servers: z
      .array(McpServerSchema)
      .optional()
      .describe("Where its tools come from, beside the team's own, as its session last told."),
  })
  .meta({ id: "AgentStatus" });

export const TeamStatusSchema = z
  .object({
    team: z.string(),
    lead: AgentIdSchema,
    rehearsal: z.boolean(),
    pid: z.int(),
    log_id: LogIdSchema,
    last_seq: SeqSchema,
    agents: z.array(AgentStatusSchema),
    open_tasks: z.int().min(0),
    dead_letters: z.int().min(0),
    refusals: z.int().min(0),
    cost_usd: z.number().min(0),
  })
  .meta({ id: "TeamStatus" });
export type TeamStatus = z.infer<typeof TeamStatusSchema>;

/** One of the decisions that agents wait for. */
export const TeamApprovalSchema = z
  .object({ agent: AgentIdSchema, request: PendingRequestSchema })
  .meta({ id: "TeamApproval" });
export type TeamApproval = z.infer<typeof TeamApprovalSchema>;

/** The first line that every client of the control socket receives. */
export const TeamInitSchema = z
  .object({
    type: z.literal("init"),
    protocol: z.int().min(1),
    version: z.string(),
    ...TeamStatusSchema.shape,
  })
  .meta({ id: "TeamInit" });
export type TeamInit = z.infer<typeof TeamInitSchema>;

/** Live only: a piece of what an agent is saying. The complete text is an event. */
export const TeamDeltaSchema = z
  .object({
    type: z.literal("delta"),
    agent: AgentIdSchema,
    turn_id: z.string().optional(),
    text: z.string(),
  })
  .meta({ id: "TeamDelta" });
export type TeamDelta = z.infer<typeof TeamDeltaSchema>;
