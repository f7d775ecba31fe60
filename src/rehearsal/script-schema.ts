import * as z from "zod";
import type { ScriptedAnswer } from "./answer-schema.ts";
import { AnswerSchema, DelaySchema, answerFields } from "./answer-schema.ts";
import { PatternSchema } from "./text-pattern.ts";
import { checkPlaceholders } from "./placeholders.ts";
import { strictObject } from "../yaml/strict-object.ts";

interface ToolResultCondition {
  name?: string | undefined;
  text?: string | undefined;
  is_error?: boolean | undefined;
}

const ToolResultConditionSchema: z.ZodType<ToolResultCondition, ToolResultCondition> = strictObject(
  {
    name: PatternSchema.optional(),
    text: PatternSchema.optional(),
    is_error: z.boolean().optional(),
  },
);

const ConditionSchema = strictObject({
  agent: PatternSchema.optional(),
  user: PatternSchema.optional(),
  peer: PatternSchema.optional(),
  tool_result: z
    .union(
      [
        PatternSchema.transform((name): ToolResultCondition => ({ name })),
        ToolResultConditionSchema,
      ],
      {
        error: "Expected the tool's name, or an object with name, text and is_error.",
      },
    )
    .optional(),
  reminder: PatternSchema.optional(),
  turn: z.int().min(1).optional(),
  model: PatternSchema.optional(),
  system: PatternSchema.optional(),
  kind: z.enum(["main", "side"]).optional(),
});
export type Condition = z.infer<typeof ConditionSchema>;

const RuleSchema = strictObject({
  when: ConditionSchema.default({}),
  times: z.int().min(1).optional(),
  ...answerFields,
})
  .refine((rule) => answers(rule), {
    error: "This rule answers nothing. Give it text, thinking, tools, stop_reason or fault.",
    // A misspelt field is the likelier mistake, and has been reported.
    when: ({ issues }) => issues.length === 0,
  })
  .superRefine(({ when, ...answer }, context) =>
    checkPlaceholders(answer, patternsOf(when), context),
  );
export type Rule = z.infer<typeof RuleSchema>;

function answers({ text, thinking, tools, stop_reason, fault }: ScriptedAnswer): boolean {
  return (text ?? thinking ?? tools ?? stop_reason ?? fault) !== undefined;
}

/** The patterns whose groups an answer may use, in the order of `$1`, `$2`, … */
function patternsOf(when: Condition): string[] {
  const { agent, model, system, reminder, user, peer, tool_result } = when;
  return [agent, model, system, reminder, user, peer, tool_result?.name, tool_result?.text].filter(
    (pattern) => pattern !== undefined,
  );
}

/** The first matching rule answers, so a rule without conditions hides those after it. */
function reportUnused(rules: Rule[], context: z.RefinementCtx): void {
  const catchAll = rules.findIndex(({ when, times }) => isEmpty(when) && times === undefined);
  if (catchAll === -1) return;
  const hidden = rules.findIndex(({ when }, at) => at > catchAll && when.kind !== "side");
  if (hidden === -1) return;
  const message =
    `This rule is never used: rules[${catchAll}] fits every request. ` +
    "Move that one to the end, or give it conditions or times.";
  context.addIssue({ code: "custom", path: [hidden], message });
}

const isEmpty = ({ kind, ...others }: Condition): boolean =>
  kind !== "side" && Object.values(others).every((condition) => condition === undefined);

export const ScriptSchema = strictObject({
  name: z.string().optional(),
  /** Makes ids and drawn delays the same in each run. */
  seed: z.int().optional(),
  delay_ms: DelaySchema.optional(),
  delta_delay_ms: DelaySchema.optional(),
  rules: z.array(RuleSchema).superRefine(reportUnused).default([]),
  default: AnswerSchema.superRefine((answer, context) =>
    checkPlaceholders(answer, [], context),
  ).optional(),
});
export type Script = z.infer<typeof ScriptSchema>;
/** As a person writes it: fields with a default may be omitted. */
export type ScriptInput = z.input<typeof ScriptSchema>;
