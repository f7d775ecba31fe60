import * as z from "zod";
import { MAX_INLINE_BYTES } from "../blob.ts";
import { atMost, jsonWithin, textWithin } from "../bounded-schemas.ts";
import type { Checked } from "../check-message.ts";
import { typedChecker } from "../check-message.ts";
import { ContentBlockSchema, eitherTextOrContent } from "../content.ts";
import { BlobIdSchema, EpochSchema, LogIdSchema, MessageIdSchema } from "../id-schemas.ts";
import { RequestIdSchema, SeqSchema } from "../id-schemas.ts";
import { JsonObjectSchema } from "../json-schemas.ts";
import { complete } from "./completion.ts";
import { McpServerConfigsSchema } from "./mcp-servers.ts";
import { ElicitActionSchema, FormContentSchema } from "./elicitation.ts";
import { offerShape, progressShape, returnShape } from "./offered-tools.ts";
import { AnswersSchema, ApprovalScopeSchema, EffortSchema } from "./shared-schemas.ts";
import { MessagePrioritySchema, PermissionModeSchema, reservedTypes } from "./shared-schemas.ts";
import { TitleSchema } from "./title.ts";
import { typedSchema } from "../typed-schema.ts";

/** What the model is told about a denial without a reason. */
export const DEFAULT_DENIAL = "User denied";

const MAX_HISTORY_LIMIT = 1000;
const MAX_SEARCH_LENGTH = 200;
const MAX_HITS = 100;
const MAX_BLOCKS = 200;
const MAX_NAME_LENGTH = 200;
/** A day. */
const MAX_HOLD_MS = 86_400_000;

export const HoldMsSchema = z
  .int()
  .min(1)
  .max(MAX_HOLD_MS)
  .describe("How long after this command the session denies the request, if no client answers.");

const name = z.string().min(1).max(MAX_NAME_LENGTH);

const command = typedSchema("Command", {
  ref: name.optional().describe("Comes back in the answer to this command."),
});

const eitherCallOrTask = <S extends z.ZodObject>(stop: S): S =>
  stop
    .refine(({ request_id, task_id }) => (request_id === undefined) !== (task_id === undefined), {
      error: "expected either request_id or task_id",
    })
    .meta({ oneOf: [{ required: ["request_id"] }, { required: ["task_id"] }] });

const commands = [
  command(
    "message",
    "Say something to the model.",
    {
      text: z.string().min(1).optional().describe("Either this or content."),
      content: atMost(MAX_BLOCKS, z.array(ContentBlockSchema).min(1))
        .optional()
        .describe("Either this or text."),
      id: MessageIdSchema.optional(),
      priority: MessagePrioritySchema.default("next"),
      from: name.optional().describe("Who speaks, when it is not the user."),
      quiet: z
        .boolean()
        .default(false)
        .describe("Add it to the conversation without starting a turn."),
    },
    eitherTextOrContent,
  ),
  command("approve", "Allow a pending tool call or plan.", {
    request_id: RequestIdSchema,
    updated_input: JsonObjectSchema.optional().describe("Run the tool with this input instead."),
    scope: ApprovalScopeSchema.default("once"),
    mode: PermissionModeSchema.optional().describe("For a plan: the mode to go on in."),
    plan: z.string().optional().describe("For a plan: the edited plan."),
  }),
  command("deny", "Refuse a pending tool call, question, plan or elicitation.", {
    request_id: RequestIdSchema,
    reason: textWithin(MAX_INLINE_BYTES)
      .min(1)
      .default(DEFAULT_DENIAL)
      .describe("The model reads it."),
    interrupt: z.boolean().default(false).describe("End the turn as well."),
  }),
  command("answer", "Answer a pending question.", {
    request_id: RequestIdSchema,
    answers: jsonWithin(MAX_INLINE_BYTES, AnswersSchema).describe(
      `${AnswersSchema.description} At most ${MAX_INLINE_BYTES} bytes of JSON.`,
    ),
  }),
  command("respond", "Answer a pending elicitation, which an MCP server waits for.", {
    request_id: RequestIdSchema,
    action: ElicitActionSchema,
    content: FormContentSchema.optional().describe(
      "Of an accepted form: its fields by their names. Fields with a default may be left out.",
    ),
  }),
  command("drop", "Take back one queued message. The answer has the outcome.", {
    id: MessageIdSchema,
  }),
  command("hold", "Give people more time to answer a pending request.", {
    request_id: RequestIdSchema,
    ms: HoldMsSchema,
  }),
  command("revoke", "Take back a permission that reaches beyond its call.", {
    grant: RequestIdSchema.describe("The id of a grant that status lists."),
  }),
  command(
    "stop",
    "End one running call or background task; the turn goes on. The answer has the outcome.",
    {
      request_id: RequestIdSchema.optional().describe("Either this or task_id."),
      task_id: name.optional().describe("Either this or request_id; as in background_tasks."),
    },
    eitherCallOrTask,
  ),
  command("abort", "End the running turn, or cancel what the session would go on with by itself.", {
    queue: z.enum(["keep", "drop"]).default("keep").describe("What becomes of queued messages."),
  }),
  command("set_mode", "Change the permission mode.", { mode: PermissionModeSchema }),
  command("set_model", "Change the model.", { model: name }),
  command("set_thinking", "Change how much the model thinks.", {
    effort: EffortSchema.nullable().describe("Null gives the choice back to the model."),
  }),
  command("rename", "Give the conversation a title.", { title: TitleSchema }),
  command(
    "set_mcp_servers",
    "Put these MCP servers in the place of those that clients set before. The ok says what became of each.",
    { servers: McpServerConfigsSchema },
  ),
  command("offer_tools", "Offer tools to the model, or withdraw them.", offerShape),
  command("tool_progress", "Say how far a call of an offered tool is.", progressShape),
  command("tool_return", "Return the result of a tool_call.", returnShape, eitherTextOrContent),
  command("attach", "Receive every event after a known one, then live ones.", {
    since: SeqSchema.describe("The last event that this client has; 0 for none."),
    log_id: LogIdSchema.optional(),
    epoch: EpochSchema.optional(),
    client: name.optional().describe("Name to show to other clients."),
  }),
  command("history", "Ask for older events.", {
    before: SeqSchema.optional().describe("Events before this one; the newest when absent."),
    limit: z.int().min(1).max(MAX_HISTORY_LIMIT).default(200),
    whole: z
      .boolean()
      .default(false)
      .describe("The deltas of a text come as one event, which has the number of the first."),
  }),
  command("search", "Find a text in the log, also in older files of it.", {
    text: z
      .string()
      .min(1)
      .max(MAX_SEARCH_LENGTH)
      .describe("Upper and lower case are the same. It is plain text, no pattern."),
    before: SeqSchema.optional().describe("In events before this one; in all when absent."),
    limit: z.int().min(1).max(MAX_HITS).default(20),
  }),
  command("complete", "Ask for names that begin like what a person is typing.", complete),
  command("status", "Ask for the session's state.", {}),
  command("get_blob", "Fetch a payload that is stored beside the log, or a part of it.", {
    blob: BlobIdSchema,
    offset: z.int().min(0).default(0).describe("First byte to send."),
    limit: z.int().min(1).optional().describe("Most bytes to send."),
  }),
  command("ping", "Ask for a sign of life.", {}),
  command("shutdown", "End the session's process.", {}),
] as const;

export const SessionCommandSchema = z.discriminatedUnion("type", commands);
/** A command as the session sees it, with defaults filled in. */
export type SessionCommand = z.output<typeof SessionCommandSchema>;
/** A command as a client may write it. */
export type SessionCommandInput = z.input<typeof SessionCommandSchema>;
export type SessionCommandOf<Type extends SessionCommand["type"]> = Extract<
  SessionCommand,
  { type: Type }
>;

/** Checks what a client sent. See `typedChecker` for the errors. */
export const parseCommand: (value: unknown) => Checked<SessionCommand> = typedChecker(
  "command",
  commands,
  reservedTypes,
);
