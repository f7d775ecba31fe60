import * as z from "zod";
import { JsonObjectSchema } from "../wire/json-schemas.ts";
import { stopReasons } from "./messages-api.ts";
import { strictObject } from "../yaml/strict-object.ts";

const longestDelayMs = 600_000;
const CountSchema = z.int().min(0);
const MillisecondsSchema = CountSchema.max(longestDelayMs);

/** Milliseconds, or `[least, most]`, from which each use draws again. */
export const DelaySchema = z.union(
  [
    MillisecondsSchema,
    z
      .tuple([MillisecondsSchema, MillisecondsSchema])
      .refine(
        ([least, most]) => least <= most,
        "The first number of a range must not be the larger.",
      ),
  ],
  {
    error: `Expected milliseconds up to ${longestDelayMs}: a whole number such as 300, or a range such as [0, 2000].`,
  },
);
export type Delay = z.infer<typeof DelaySchema>;

const afterDeltas = { after_deltas: CountSchema.default(1) };

/** How a request fails. */
const FaultSchema = z.discriminatedUnion(
  "kind",
  [
    strictObject({
      kind: z.literal("http"),
      status: z.int().min(400).max(599),
      type: z.string().optional(),
      message: z.string().optional(),
      retry_after_s: z.number().min(0).optional(),
    }),
    strictObject({
      kind: z.literal("usage_limit"),
      resets_in_s: z.number().min(0).max(86_400),
      limit: z.string().min(1).default("five_hour"),
    }),
    strictObject({ kind: z.literal("reset") }),
    strictObject({ kind: z.literal("refuse"), for_ms: MillisecondsSchema.min(1) }),
    strictObject({ kind: z.literal("cut"), ...afterDeltas }),
    strictObject({ kind: z.literal("stall"), ...afterDeltas }),
    strictObject({
      kind: z.literal("sse_error"),
      ...afterDeltas,
      type: z.string().default("overloaded_error"),
      message: z.string().default("Overloaded"),
    }),
    strictObject({ kind: z.literal("bad_json"), ...afterDeltas }),
    strictObject({ kind: z.literal("empty") }),
  ],
  {
    error:
      "Expected a fault such as { kind: http, status: 529 }; kinds are http, usage_limit, reset, refuse, cut, stall, sse_error, bad_json and empty.",
  },
);
export type ScriptedFault = z.infer<typeof FaultSchema>;

const ToolCallSchema = strictObject({
  name: z.string().min(1),
  input: JsonObjectSchema.default({}),
  id: z.string().min(1).optional(),
});

const UsageSchema = strictObject({
  input_tokens: CountSchema.optional(),
  output_tokens: CountSchema.optional(),
  cache_creation_input_tokens: CountSchema.optional(),
  cache_read_input_tokens: CountSchema.optional(),
});

export const answerFields = {
  thinking: z.string().optional(),
  text: z.string().optional(),
  tools: z.array(ToolCallSchema).optional(),
  stop_reason: z.enum(stopReasons).optional(),
  usage: UsageSchema.optional(),
  delay_ms: DelaySchema.optional(),
  delta_delay_ms: DelaySchema.optional(),
  delta_chars: z.int().min(1).optional(),
  fault: FaultSchema.optional(),
};

/** What the model answers to one request: thinking, then text, then tool calls; or how it fails. */
export const AnswerSchema = strictObject(answerFields);
export type ScriptedAnswer = z.infer<typeof AnswerSchema>;
/** As a person writes it: fields with a default may be omitted. */
export type AnswerInput = z.input<typeof AnswerSchema>;
