import * as z from "zod";
import { StoredTextSchema } from "../blob.ts";
import { closedList } from "../explained-enum.ts";
import { eitherTextOrContent, StoredContentBlockSchema } from "../content.ts";
import { WireErrorSchema } from "../error-schema.ts";
import { MessageIdSchema, RequestIdSchema, TimestampSchema, TurnIdSchema } from "../id-schemas.ts";
import { deltaEvent, event } from "./event-base.ts";
import { MessagePrioritySchema, TokenUsageSchema } from "./shared-schemas.ts";

const messages = z.array(MessageIdSchema);

const block = z
  .int()
  .min(0)
  .describe(
    "Number of the block in its turn: deltas with the same number and parent make one text.",
  );

const eitherBlockOrCall = <S extends z.ZodObject>(retracted: S): S =>
  retracted
    .refine(({ block: text, request_id: call }) => (text === undefined) !== (call === undefined), {
      error: "expected either block or request_id",
    })
    .meta({ oneOf: [{ required: ["block"] }, { required: ["request_id"] }] });

const StopReasonSchema = closedList({
  completed: "The model had said all it wanted to say.",
  aborted: "By the command abort.",
  interrupted: "By a message with priority now.",
  denied: "By a deny with interrupt.",
  refused: "The model declined to answer.",
  max_turns: "The limit of --max-turns was reached.",
  max_output_tokens: "The answer was cut off at the model's limit.",
  prompt_too_long: "The conversation does not fit any more.",
  budget_exhausted: "The limit of --max-budget-usd was reached.",
  failed: "The error event before it says why.",
  cli_lost: "The Claude Code process died and the turn could not go on.",
  host_lost: "The session's own process died in the turn.",
});
export type StopReason = z.infer<typeof StopReasonSchema>;

export const turnEvents = [
  event(
    "user_message",
    "A message was accepted and is safe on disk. No turn need have begun.",
    {
      id: MessageIdSchema,
      text: StoredTextSchema.optional().describe("Either this or content."),
      content: z.array(StoredContentBlockSchema).optional().describe("Either this or text."),
      from: z.string().optional().describe("Who speaks, when it is not the user."),
      by: z.string().optional().describe("Name of the client that sent it."),
      priority: MessagePrioritySchema.optional(),
      quiet: z.boolean().optional().describe("It starts no turn."),
    },
    eitherTextOrContent,
  ),
  event("message_seen", "The message stands in the CLI's transcript; it will not be sent again.", {
    id: MessageIdSchema,
  }),
  event("message_dropped", "The message will not reach the model.", {
    id: MessageIdSchema,
    reason: closedList({
      aborted: "By an abort that drops the queue.",
      dropped: "By a drop that names it.",
      failed: "It could not be handed to the CLI; an error event says why.",
    }),
    by: z.string().optional().describe("Name of the client that dropped it."),
  }),
  event("turn_started", "The model begins to work.", {
    turn_id: TurnIdSchema,
    messages: messages.describe("The messages that started it."),
    cause: closedList({
      message: "A message was sent.",
      background: "A background task has ended, and the model goes on with its result.",
      resume: "The turn was cut off by a crash and goes on.",
    }),
  }),
  deltaEvent("text_delta", "More text of the answer.", { block, text: z.string() }),
  deltaEvent("thinking_delta", "More of the model's thinking.", { block, text: z.string() }),
  event(
    "retracted",
    "The answer was cut, or another takes its place: what was sent of this block, or of this call, is void.",
    {
      block: block.optional().describe("A text or thoughts, by their number."),
      request_id: RequestIdSchema.optional().describe(
        "A call whose input was being written, or that is not to run. One with a result has run.",
      ),
    },
    eitherBlockOrCall,
  ),
  event("done", "The turn is over. Exactly one ends each turn, whatever happened in it.", {
    turn_id: TurnIdSchema,
    messages: messages.describe("All messages that this turn has dealt with."),
    usage: TokenUsageSchema,
    cost_usd: z.number().min(0).describe("Cost of this turn alone."),
    duration_ms: z.number().min(0),
    stop_reason: StopReasonSchema,
  }),
  event(
    "continuation_planned",
    "The account's usage limit has ended the turn. The session goes on by itself at the time of the limit's reset; until then the turn's messages stay open.",
    {
      turn_id: TurnIdSchema.describe("The turn that the limit has ended; its done follows."),
      due: TimestampSchema,
      messages: messages.describe("Those that the next turn with a message deals with, too."),
      id: MessageIdSchema.describe("Of the message that will go to the model then."),
    },
  ),
  event(
    "continuation_canceled",
    "A client wants the session not to go on by itself. A turn follows that ends the open messages as failed.",
    { by: z.string().optional().describe("Name of the client that canceled it.") },
  ),
  event("error", "Something failed. When it ends the turn, done follows.", WireErrorSchema.shape),
] as const;
