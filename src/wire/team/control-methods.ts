import * as z from "zod";
import type { Checked } from "../check-message.ts";
import { check } from "../check-message.ts";
import { MAX_INLINE_BYTES } from "../blob.ts";
import { atMost, jsonWithin, textWithin } from "../bounded-schemas.ts";
import { ContentBlockSchema, eitherTextOrContent } from "../content.ts";
import { LogIdSchema, RequestIdSchema, SeqSchema, TimestampSchema } from "../id-schemas.ts";
import { JsonObjectSchema } from "../json-schemas.ts";
import { PendingRequestSchema } from "../session/approval-events.ts";
import { HoldMsSchema } from "../session/commands.ts";
import { AnswersSchema, ApprovalScopeSchema } from "../session/shared-schemas.ts";
import { ElicitActionSchema, FormContentSchema } from "../session/elicitation.ts";
import { PermissionModeSchema } from "../session/shared-schemas.ts";
import { agentMethods } from "./agent-methods.ts";
import { AgentStatusSchema } from "./agent-status.ts";
import { AgentIdSchema, MessageIdSchema, PrioritySchema } from "./messages.ts";
import { PageLimitSchema, readMethods } from "./read-methods.ts";

// The control socket of a team: JSON-RPC 2.0 commands in, answers and numbered events out.

const MAX_NAME_LENGTH = 200;
const MAX_BLOCKS = 200;
/** Less than a line may have: the agent's session gets it with more around it. */
const MAX_SENT_BYTES = 8_388_608;
const request_id = RequestIdSchema;

/** The params of each method. */
export const teamMethods = {
  ...readMethods,
  hello: z.object({
    client: z
      .string()
      .min(1)
      .max(MAX_NAME_LENGTH)
      .describe("Who this client is, in records of who decided: a person, or a program."),
    fixed: z
      .boolean()
      .default(false)
      .describe("Refuse every later hello on this connection: the name stays as it is."),
  }),
  attach: z.object({
    since: SeqSchema.describe("The last event that this client has; 0 for none."),
    log_id: LogIdSchema.optional(),
  }),
  ping: z.object({}),
  status: z.object({}),
  send: eitherTextOrContent(
    z.object({
      text: z.string().min(1).optional().describe("What the user says to the lead."),
      content: jsonWithin(MAX_SENT_BYTES, atMost(MAX_BLOCKS, z.array(ContentBlockSchema).min(1)))
        .optional()
        .describe("In place of text: words, pictures and documents. At most 8,388,608 bytes."),
      to: AgentIdSchema.optional().describe("The lead, and nobody else: the user talks to it."),
      id: MessageIdSchema.optional().describe("Sent twice, it counts once."),
      priority: PrioritySchema.default("normal"),
    }),
  ),
  cancel: z.object({ task: MessageIdSchema }),
  drop: z.object({ id: MessageIdSchema.describe("A message of the user.") }),
  approvals: z.object({}),
  approve: z.object({
    request_id,
    scope: ApprovalScopeSchema.default("once"),
    updated_input: JsonObjectSchema.optional().describe("Run the tool with this input instead."),
    mode: PermissionModeSchema.optional().describe("For a plan: the mode to go on in."),
    plan: z.string().optional().describe("For a plan: the edited plan."),
  }),
  deny: z.object({
    request_id,
    reason: textWithin(MAX_INLINE_BYTES).min(1).optional().describe("The model reads it."),
    interrupt: z.boolean().default(false).describe("End the agent's turn as well."),
  }),
  answer: z.object({ request_id, answers: AnswersSchema }),
  respond: z.object({
    request_id,
    action: ElicitActionSchema,
    content: FormContentSchema.optional(),
  }),
  hold: z.object({ request_id, ms: HoldMsSchema }),
  message: z.object({ id: MessageIdSchema }),
  text: z.object({ seq: SeqSchema.describe("Of an event with a text: said, thought, answered.") }),
  notices: z.object({ limit: PageLimitSchema.default(100) }),
  ack: z.object({ id: z.string().min(1).max(MAX_NAME_LENGTH).describe("Of an open notice.") }),
  dead_letters: z.object({
    id: MessageIdSchema.optional().describe("Only this one, whatever became of it."),
    all: z.boolean().default(false).describe("Also those that were dealt with."),
    limit: PageLimitSchema.default(100),
  }),
  resend: z.object({
    id: MessageIdSchema.describe("Of the dead letter; it is sent under a new one."),
  }),
  discard: z.object({ id: MessageIdSchema }),
  ...agentMethods,
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
    open_notices: z
      .int()
      .min(0)
      .optional()
      .describe("Warnings and errors that nobody has acknowledged."),
    cost_usd: z.number().min(0),
    observe_socket: z
      .string()
      .optional()
      .describe("The control socket for those who only watch. Absent: the team has none."),
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
    at: TimestampSchema.optional().describe("The team's time when it sent this line."),
    read_only: z.boolean().optional().describe("This socket is for observers. Absent: it is not."),
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
