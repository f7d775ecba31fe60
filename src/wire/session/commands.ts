import { z } from "zod";
import { MAX_INLINE_BYTES } from "../blob.ts";
import { atMost, jsonWithin, textWithin } from "../bounds.ts";
import type { Checked } from "../check.ts";
import { typedChecker } from "../check.ts";
import { ContentBlockSchema, eitherTextOrContent } from "../content.ts";
import { BlobIdSchema, EpochSchema, LogIdSchema, MessageIdSchema } from "../ids.ts";
import { RequestIdSchema, SeqSchema } from "../ids.ts";
import { JsonObjectSchema } from "../json.ts";
import { AnswersSchema, ApprovalScopeSchema, EffortSchema } from "./terms.ts";
import { MessagePrioritySchema, PermissionModeSchema, reservedTypes } from "./terms.ts";
import { typedSchema } from "../typed-schema.ts";

/** What the model is told about a denial without a reason. */
export const DEFAULT_DENIAL = "User denied";

const MAX_HISTORY_LIMIT = 1000;
const MAX_BLOCKS = 200;
const MAX_NAME_LENGTH = 200;
/** A day. */
const MAX_HOLD_MS = 86_400_000;

const name = z.string().min(1).max(MAX_NAME_LENGTH);

const command = typedSchema("Command", {
  ref: name.optional().describe("Comes back in the answer to this command."),
});

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
  command("deny", "Refuse a pending tool call, question or plan.", {
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
  command("drop", "Take back one queued message. The answer has the outcome.", {
    id: MessageIdSchema,
  }),
  command("hold", "Give people more time to answer a pending request.", {
    request_id: RequestIdSchema,
    ms: z
      .int()
      .min(1)
      .max(MAX_HOLD_MS)
      .describe(
        "How long after this command the session denies the request, if no client answers.",
      ),
  }),
  command("abort", "End the running turn.", {
    queue: z.enum(["keep", "drop"]).default("keep").describe("What becomes of queued messages."),
  }),
  command("set_mode", "Change the permission mode.", { mode: PermissionModeSchema }),
  command("set_model", "Change the model.", { model: name }),
  command("set_thinking", "Change how much the model thinks.", {
    effort: EffortSchema.nullable().describe("Null gives the choice back to the model."),
  }),
  command("attach", "Receive every event after a known one, then live ones.", {
    since: SeqSchema.describe("The last event that this client has; 0 for none."),
    log_id: LogIdSchema.optional(),
    epoch: EpochSchema.optional(),
    client: name.optional().describe("Name to show to other clients."),
  }),
  command("history", "Ask for older events.", {
    before: SeqSchema.optional().describe("Events before this one; the newest when absent."),
    limit: z.int().min(1).max(MAX_HISTORY_LIMIT).default(200),
  }),
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
