import * as z from "zod";
import type { Checked } from "../check-message.ts";
import { typedChecker } from "../check-message.ts";
import { closedList } from "../explained-enum.ts";
import { WireErrorSchema } from "../error-schema.ts";
import { BlobIdSchema, EpochSchema, LogIdSchema, MessageIdSchema } from "../id-schemas.ts";
import { RequestIdSchema, SeqSchema, SessionIdSchema } from "../id-schemas.ts";
import { TimestampSchema, TurnIdSchema } from "../id-schemas.ts";
import { isRecord } from "../json.ts";
import { PendingRequestSchema } from "./approval-events.ts";
import { choices } from "./choices.ts";
import { completions } from "./completion.ts";
import { McpServerOutcomesSchema } from "./mcp-servers.ts";
import { parseEvent, SessionEventSchema } from "./events.ts";
import { TodoItemSchema } from "./state-events.ts";
import { callShape, cancelShape, ToolOfferSchema } from "./offered-tools.ts";
import { BackgroundTaskSchema, ContextUsageSchema, EffortSchema } from "./shared-schemas.ts";
import { ConnectedClientSchema, GrantSchema, McpServerSchema } from "./shared-schemas.ts";
import { PermissionModeSchema, reservedTypes, SessionStateSchema } from "./shared-schemas.ts";
import { typedSchema } from "../typed-schema.ts";

// Answers go to one client, are not logged, and carry no seq, which distinguishes them from events.

const answer = typedSchema("Answer", {
  ref: z.string().optional().describe("The ref of the command that this answers."),
  seq: z.never("not allowed in an answer").optional(),
});

const place = {
  log_id: LogIdSchema,
  epoch: EpochSchema,
  last_seq: SeqSchema.describe("The newest event of the log."),
};

const clientName = z.string().optional().describe("The name under which others see this client.");

const CliSupportKindSchema = closedList({
  proven: "Recovery has passed its tests on this version.",
  untested: "This version has not been tried; the notice cli_untested says what is off.",
  too_old: "No session starts with this version.",
  unknown: "The CLI does not say its version.",
});

const MessageOverSchema = z
  .enum(["seen", "dropped"])
  .describe(
    "Of a message that is settled: it is in the conversation and its turn has ended, or it will not reach the model.",
  );
export type MessageOver = z.infer<typeof MessageOverSchema>;

const DropOutcomeSchema = z
  .enum(["dropped", "too_late"])
  .describe(
    "Of drop: the message will not reach the model, or the model has it already or is about to.",
  );
export type DropOutcome = z.infer<typeof DropOutcomeSchema>;

const StoppedOutcomeSchema = z
  .enum(["stopped", "too_late", "not_possible"])
  .describe(
    "Of stop: it was ended, it had ended before, or Claude Code cannot end this call alone.",
  );
export type StoppedOutcome = z.infer<typeof StoppedOutcomeSchema>;

const hostTime = {
  at: TimestampSchema.optional().describe("The host's time when it sent this line."),
};

const state = {
  session_id: SessionIdSchema,
  ...place,
  state: SessionStateSchema,
  turn_id: TurnIdSchema.optional().describe("The open turn."),
  pending: z.array(PendingRequestSchema).describe("Requests that a person has yet to answer."),
  queued: z.array(MessageIdSchema).describe("Accepted messages that no turn has taken up."),
  title: z.string().optional().describe("The conversation's title; absent while it has none."),
  cwd: z.string(),
  added_directories: z
    .array(z.string())
    .optional()
    .describe("The directories of --add-dir, which tools may use like cwd."),
  mode: PermissionModeSchema,
  model: z.string().optional().describe("Absent until the CLI has named it."),
  effort: EffortSchema.nullable().optional(),
  context: ContextUsageSchema.optional(),
  cost_usd: z.number().min(0).optional().describe("Cost of all turns in this log."),
  mcp_servers: z.array(McpServerSchema).optional(),
  background_tasks: z
    .array(BackgroundTaskSchema)
    .optional()
    .describe("What runs in the background, also while the session is idle. Absent: nothing."),
  todo: z
    .array(TodoItemSchema)
    .optional()
    .describe("The model's list of things to do. Absent: it has made none."),
  ...choices,
  offered_tools: z
    .array(ToolOfferSchema)
    .optional()
    .describe("Tools that clients offer. Absent: none."),
  grants: z
    .array(GrantSchema)
    .optional()
    .describe("What people allowed beyond one call and have not taken back. Absent: nothing."),
  continuation: z
    .object({
      due: TimestampSchema.describe("When the session goes on by itself."),
      messages: z.array(MessageIdSchema).describe("What it then goes on with."),
      id: MessageIdSchema.describe("Of the message that goes to the model then."),
    })
    .optional()
    .describe("Absent: the session does not wait for the reset of a usage limit."),
  clients: z
    .array(ConnectedClientSchema)
    .optional()
    .describe("The clients that are connected now, this one too."),
};

const SearchHitSchema = z
  .object({
    seq: SeqSchema.describe("The event in which the text begins."),
    type: z.string().describe("Of the event."),
    at: TimestampSchema.optional().describe(
      "Of the event, or of the next one that has a time; absent if none has.",
    ),
    turn_id: TurnIdSchema.optional(),
    parent: RequestIdSchema.optional().describe("The call that started the sub-agent."),
    request_id: RequestIdSchema.optional(),
    id: MessageIdSchema.optional().describe("Of a message."),
    preview: z.string().describe("The text, with a little of what stands around it."),
  })
  .meta({ id: "SearchHit" });

const answers = [
  answer("init", "The first line that every client receives.", {
    protocol: z.int().min(1).describe("Version of this protocol."),
    version: z.string().describe("Version of the program."),
    cli_version: z.string().optional().describe("Version of the Claude Code CLI."),
    cli_support: CliSupportKindSchema.optional(),
    read_only: z.boolean().describe("This socket is for observers."),
    rehearsal: z.boolean().describe("The model is a rehearsed script."),
    client: clientName,
    ...hostTime,
    ...state,
  }),
  answer("attached", "From here on every event after since arrives once.", {
    ...place,
    since: SeqSchema.describe("The event after which the replay begins."),
    reset: z
      .boolean()
      .describe(
        "This log does not have what the client asked for: forget all, a snapshot follows.",
      ),
    client: clientName,
  }),
  answer("status", "The session's state, in answer to status.", state),
  answer("history", "A page of older events, oldest first.", {
    events: z.array(SessionEventSchema),
    more: z.boolean().describe("There are still older ones."),
  }),
  answer("found", "Where a text was found, newest first.", {
    hits: z.array(SearchHitSchema),
    more: z.boolean().describe("Older events have not been looked at."),
    before: SeqSchema.optional().describe("If there are more: search on with this before."),
  }),
  answer("blob", "A stored payload, or a part of it.", {
    blob: BlobIdSchema,
    bytes: z.int().min(0).describe("Size of the whole payload."),
    offset: z.int().min(0).describe("Where this part begins."),
    data: z.string().describe("The bytes of this part in base64."),
  }),
  answer("pong", "A sign of life.", hostTime),
  answer("clients", "A client came, went or took another name. Sent unasked, and not logged.", {
    clients: z.array(ConnectedClientSchema),
  }),
  answer(
    "choices",
    "What a person can choose from has changed. Sent unasked with all that is known, and not logged.",
    choices,
  ),
  answer("completions", "Names that fit, in answer to complete.", completions),
  answer("tool_call", "The model calls a tool of this client. Sent unasked, to its owner alone.", {
    ...callShape,
  }),
  answer("tool_cancel", "Nobody waits for the result of this call any more.", cancelShape),
  answer("ok", "The command was carried out. Sent when it has a ref and no answer of its own.", {
    over: MessageOverSchema.optional(),
    outcome: z
      .enum([...new Set([...DropOutcomeSchema.options, ...StoppedOutcomeSchema.options])])
      .optional()
      .describe(`${DropOutcomeSchema.description} ${StoppedOutcomeSchema.description}`),
    servers: McpServerOutcomesSchema.optional(),
  }),
  answer("error", "The command was not carried out.", {
    ...WireErrorSchema.shape,
    request_id: RequestIdSchema.optional().describe("The request that the command was about."),
  }),
] as const;

export const SessionAnswerSchema = z.discriminatedUnion("type", answers);
export type SessionAnswer = z.infer<typeof SessionAnswerSchema>;
export type SessionAnswerOf<Type extends SessionAnswer["type"]> = Extract<
  SessionAnswer,
  { type: Type }
>;

/** Anything that a session sends. An event has a `seq`, an answer has none. */
export const SessionMessageSchema = z.union([SessionEventSchema, SessionAnswerSchema]);
export type SessionMessage = z.infer<typeof SessionMessageSchema>;

const parseAnswer: (value: unknown) => Checked<SessionAnswer> = typedChecker(
  "answer",
  answers,
  reservedTypes,
);

/**
 * Checks a line from a session: an event when it has a `seq`, otherwise an answer. See `typedChecker` for the errors.
 */
export function parseSessionMessage(value: unknown): Checked<SessionMessage> {
  return isRecord(value) && "seq" in value ? parseEvent(value) : parseAnswer(value);
}
