import * as z from "zod";
import { closedList } from "../explained-enum.ts";
import { WireErrorSchema } from "../error-schema.ts";
import {
  LogIdSchema,
  RequestIdSchema,
  SeqSchema,
  TimestampSchema,
  TurnIdSchema,
} from "../id-schemas.ts";
import { StoredTextSchema } from "../blob.ts";
import { PendingRequestSchema } from "../session/approval-events.ts";
import {
  ApprovalScopeSchema,
  EffortSchema,
  PermissionModeSchema,
} from "../session/shared-schemas.ts";
import { ToolInputSchema } from "../session/tool-events.ts";
import { TaskSchema } from "./task.ts";
import { AgentIdSchema, CCMessageSchema } from "./messages.ts";
import { typedSchema } from "../typed-schema.ts";

// The timeline of a team: numbered, kept, and sent to all clients of its control socket.

const event = typedSchema("TeamEvent", { seq: SeqSchema, at: TimestampSchema });
const agent = AgentIdSchema;
/** Fields of an event that repeats one of an agent's session. */
const told = {
  agent,
  session_seq: SeqSchema.optional().describe("The event of the agent's own log behind it."),
};

export const AgentStateSchema = closedList({
  starting: "Its process is starting.",
  confirming: "It is asked to confirm its role.",
  ready: "It waits for work.",
  working: "A turn is running.",
  waiting: "A person has to answer before its turn can go on.",
  hibernated: "It was idle for long; the next message wakes it.",
  restarting: "Its process was lost; a new one follows.",
  quarantined: "It failed to start too often in a row. A person has to look.",
  stopped: "It was ended on purpose.",
});
export type AgentState = z.infer<typeof AgentStateSchema>;

const AgentCommandSchema = closedList({
  stop: "Its process ends, and it stays stopped until a person starts it.",
  start: "It starts again.",
  restart: "The same of an agent that is quarantined, hibernates or is stopped.",
  hibernate: "Its process ends; the next message wakes it.",
  abort: "Its running turn ends.",
  move: "It goes on on another machine.",
  set: "It goes on in another mode, with another model or another effort.",
});
export type AgentCommand = z.infer<typeof AgentCommandSchema>;

const MessageStepSchema = closedList({
  pushed: "The recipient's session has it, safe on its disk.",
  seen: "It stands in the recipient's conversation; it will not be delivered again.",
  returned: "It was handed over as the result of the call that waited for it.",
  done: "The turn that dealt with it is over.",
  withdrawn: "Its task had ended before it was delivered; it will not be.",
  dead: "It could not be delivered; the dead letters have it.",
});

/** From a message one finds the turn that dealt with it, in the agent's own log. */
export const TurnPlaceSchema = z
  .object({
    agent,
    log_id: LogIdSchema.describe("Of the agent's session."),
    turn_id: TurnIdSchema,
    session_seq: SeqSchema.describe("The turn_started of that turn in the agent's own log."),
  })
  .meta({ id: "TurnPlace" });
export type TurnPlace = z.infer<typeof TurnPlaceSchema>;

const text = z
  .string()
  .describe("Of a long text the beginning; the method text returns all of it.");
const bytes = z
  .int()
  .min(0)
  .optional()
  .describe("Size of the whole text, when this is only its beginning.");

const events = [
  event("team_started", "The team's process is up.", {
    team: z.string(),
    lead: agent,
    agents: z.array(agent),
    rehearsal: z.boolean().describe("The model is a rehearsed script."),
    restarted: z.boolean().describe("It goes on where a process before it was ended."),
    directory: z.string().optional().describe("The project: the directory it was started in."),
    last_directory: z.string().optional().describe("The project of the start before this one."),
    last_at: TimestampSchema.optional().describe("The time of the last event before this one."),
  }),
  event("team_stopping", "The team is being stopped.", { by: z.string().optional() }),
  event("agent_state", "An agent's state has changed.", {
    agent,
    state: AgentStateSchema,
    reason: z.string().optional(),
    since: TimestampSchema.optional().describe(
      "When this state began. Before this event for an agent that has hibernated, or was stopped, since a time when another process ran the team.",
    ),
    host: z
      .string()
      .optional()
      .describe("The machine that has it, as it joined the team. Absent: that of the team."),
  }),
  event("agent_command", "A person, or a program of theirs, acts on an agent.", {
    agent,
    command: AgentCommandSchema,
    by: z.string().describe("Name of the client that asked for it."),
    mode: PermissionModeSchema.optional(),
    model: z.string().optional(),
    effort: EffortSchema.nullable().optional(),
    host: z.string().optional().describe("Of move: where it is to go on."),
    force: z.boolean().optional().describe("Of move: without waiting for the host before."),
  }),
  event("message_sent", "A message is durable.", {
    message: CCMessageSchema.describe("With the beginning of its content when that is long."),
    bytes: z.int().min(0).describe("Size of the whole content."),
    by: z
      .string()
      .optional()
      .describe("Name of the client by which a person said it to the agent's session itself."),
  }),
  event("message_moved", "A message is on its way.", {
    id: z.uuid(),
    from_agent: agent,
    to_agent: agent,
    step: MessageStepSchema,
    reason: z.string().optional(),
    turn: TurnPlaceSchema.optional().describe("Of seen and done: the turn that has it."),
  }),
  event("refused", "A rule did not let a message through. Its sender was told.", {
    from_agent: agent,
    to_agent: z.string(),
    error: WireErrorSchema,
  }),
  event("task_changed", "A task was made, or its state has changed.", { task: TaskSchema }),
  event("turn_started", "An agent's model begins to work.", {
    ...told,
    turn_id: TurnIdSchema,
    messages: z.array(z.string()),
  }),
  event("turn_ended", "A turn is over.", {
    ...told,
    turn_id: TurnIdSchema,
    messages: z.array(z.string()),
    stop_reason: z.string(),
    cost_usd: z.number().min(0),
    tokens: z.int().min(0),
    duration_ms: z.number().min(0),
  }),
  event("said", "What an agent's model said.", {
    ...told,
    turn_id: TurnIdSchema.optional(),
    text,
    bytes,
  }),
  event("thought", "What an agent's model thought. For people only.", {
    ...told,
    turn_id: TurnIdSchema.optional(),
    text,
    bytes,
  }),
  event("tool_called", "An agent uses a tool.", {
    ...told,
    request_id: RequestIdSchema,
    tool: z.string(),
    summary: z.string(),
  }),
  event("tool_ended", "A tool has ended.", {
    ...told,
    request_id: RequestIdSchema,
    is_error: z.boolean(),
    summary: z.string(),
  }),
  event("approval_requested", "An agent needs a decision.", {
    ...told,
    request: PendingRequestSchema,
  }),
  event("approval_resolved", "A request has its outcome.", {
    ...told,
    request_id: RequestIdSchema,
    outcome: z.string(),
    by: z.string().optional().describe("Who decided: the name of a client, or policy."),
    rule: z.string().optional().describe("The rule of the team file's policy that decided."),
    updated_input: ToolInputSchema.optional().describe(
      "What ran in place of the input that was asked about: a person changed it.",
    ),
    changed: z
      .object({ tool: z.string(), asked: z.string(), ran: z.string() })
      .optional()
      .describe("The same in a line each: what the agent asked for, and what ran."),
    scope: ApprovalScopeSchema.optional(),
    reason: z.string().optional().describe("What the model was told about a denial."),
    mode: PermissionModeSchema.optional().describe("The mode that a plan goes on in."),
    plan: StoredTextSchema.optional().describe("The plan as the person edited it."),
  }),
  event("approval_held", "A person asked for more time: a request has another deadline.", {
    ...told,
    request_id: RequestIdSchema,
    deadline: TimestampSchema.describe("Denied by itself at this time."),
    remaining_ms: z.int().min(0).describe("Time up to the deadline, from the time of this event."),
    by: z.string().optional().describe("Name of the client that asked for it."),
  }),
  event("answered", "The lead's answer to the user.", {
    id: z.uuid().describe("The user's message."),
    agent,
    text: z.string(),
    failed: z.boolean(),
  }),
  event("notice", "Something that people should know.", {
    id: z
      .string()
      .optional()
      .describe("For ack. Timelines of older versions have notices without."),
    agent: agent.optional(),
    session_seq: told.session_seq,
    level: z.enum(["info", "warn", "error"]).describe("A warning or an error is open until ack."),
    code: z
      .string()
      .optional()
      .describe(
        "What it is about, for programs and translations: the code of a session's notice or of an error, or one of the team's own.",
      ),
    message: z.string(),
    hint: z.string().optional(),
  }),
  event("notice_acknowledged", "A person has acknowledged a notice.", {
    id: z.string().describe("Of the notice."),
    by: z.string().describe("Name of the client that said so."),
  }),
] as const;

export const TeamEventSchema = z.discriminatedUnion("type", events);
export type TeamEvent = z.infer<typeof TeamEventSchema>;
export type TeamEventOf<Type extends TeamEvent["type"]> = Extract<TeamEvent, { type: Type }>;

const eventTypes = events.map((each) => each.shape.type.value) as [
  TeamEvent["type"],
  ...TeamEvent["type"][],
];

export const TeamEventTypeSchema = z.enum(eventTypes).describe("The type of an event.");
