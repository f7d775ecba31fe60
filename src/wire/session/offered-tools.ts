import * as z from "zod";
import { atMost, jsonWithin, textWithin } from "../bounded-schemas.ts";
import { RequestIdSchema, TimestampSchema } from "../id-schemas.ts";
import { JsonObjectSchema } from "../json-schemas.ts";
import { RemainingSchema } from "./request-base.ts";
import { ToolSchemaSchema } from "../tool-schema-file.ts";

// The words with which a client offers tools, is called, and returns results.

/** Tools of one offer, as JSON. The model reads all of it with every request. */
const MAX_OFFER_BYTES = 1_048_576;
const MAX_TOOLS = 200;
const MAX_RUNNING = 1000;
const MAX_BLOCKS = 200;
const MAX_PROGRESS_BYTES = 8192;
/** A day. */
const MAX_TIMEOUT_MS = 86_400_000;
/** An hour. */
const MAX_AWAY_MS = 3_600_000;

const call = z.string().min(1).max(100).describe("Id of one call of an offered tool.");
const namespace = z
  .string()
  .min(1)
  .max(60)
  .describe("The model sees the tools as mcp__NAMESPACE__TOOL.");

const OfferedToolSchema = ToolSchemaSchema.extend({
  timeout_ms: z
    .int()
    .min(1)
    .max(MAX_TIMEOUT_MS)
    .default(300_000)
    .describe("After this time the call has failed, also if its client was away."),
}).meta({ id: "OfferedTool", description: "One tool of a client." });
export type OfferedTool = z.output<typeof OfferedToolSchema>;
/** As a client may write it. */
export type OfferedToolInput = z.input<typeof OfferedToolSchema>;

export const offerShape = {
  namespace,
  tools: jsonWithin(MAX_OFFER_BYTES, atMost(MAX_TOOLS, z.array(OfferedToolSchema))).describe(
    `All tools of the namespace; an empty list withdraws them. At most ${MAX_OFFER_BYTES} bytes of JSON.`,
  ),
  away_ms: z
    .int()
    .min(0)
    .max(MAX_AWAY_MS)
    .default(30_000)
    .describe(
      "How long the tools stay, and their calls wait, when this client is gone. A client of the same name takes them up again with another offer.",
    ),
  running: atMost(MAX_RUNNING, z.array(call))
    .optional()
    .describe("Calls from before a lost connection on which the client still works."),
};

export const progressShape = {
  call,
  progress: z.number().describe("More than the time before."),
  total: z.number().optional(),
  message: textWithin(MAX_PROGRESS_BYTES).optional(),
};

const mimeType = z.string().min(1);
const media = <const Type extends string>(type: Type) =>
  z.object({ type: z.literal(type), data: z.string().describe("Base64."), mimeType });

const ToolContentSchema = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("text"), text: z.string() }),
    media("image"),
    media("audio"),
    z.object({
      type: z.literal("resource"),
      resource: z.union([
        z.object({ uri: z.string(), mimeType: mimeType.optional(), text: z.string() }),
        z.object({ uri: z.string(), mimeType: mimeType.optional(), blob: z.string() }),
      ]),
    }),
    z.object({
      type: z.literal("resource_link"),
      uri: z.string(),
      name: z.string(),
      title: z.string().optional(),
      description: z.string().optional(),
      mimeType: mimeType.optional(),
    }),
  ])
  .meta({ id: "ToolContent", description: "A part of a tool's result, in MCP's form." });
export type ToolContent = z.infer<typeof ToolContentSchema>;

export const returnShape = {
  call,
  text: z.string().optional().describe("Either this or content."),
  content: atMost(MAX_BLOCKS, z.array(ToolContentSchema))
    .optional()
    .describe("Either this or text."),
  structured: JsonObjectSchema.optional().describe(
    "For a tool with an output_schema: the result as an object.",
  ),
  is_error: z.boolean().default(false).describe("The tool ran and failed; the text says how."),
};

export const callShape = {
  call,
  request_id: RequestIdSchema.optional(),
  namespace,
  tool: z.string().min(1).describe("Name of the tool, as it was offered."),
  input: JsonObjectSchema.describe("It fits the tool's input_schema."),
  deadline: TimestampSchema.describe("When the call has failed if it has not returned."),
  remaining_ms: RemainingSchema.optional(),
  again: z
    .literal(true)
    .optional()
    .describe("The call was sent before, and may have run. Only for idempotent tools."),
};

export const cancelShape = {
  call,
  reason: z
    .enum(["aborted", "timed_out", "unknown", "withdrawn"])
    .describe(
      "The turn was ended or Claude Code is gone; the time is over; the session does not know the call; or the tools are withdrawn.",
    ),
};
export type CancelReason = z.infer<typeof cancelShape.reason>;

export const ToolOfferSchema = z
  .object({
    client: z.string().min(1).describe("Name of the client that offers them."),
    namespace,
    tools: z.array(z.string()).describe("Their names, without the namespace."),
  })
  .meta({ id: "ToolOffer" });
export type ToolOffer = z.infer<typeof ToolOfferSchema>;
