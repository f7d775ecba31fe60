import * as z from "zod";
import { closedList } from "./explained-enum.ts";

const PolicyActionSchema = closedList({
  allow: "The call runs without a question.",
  deny: "The call does not run, and the model is told why.",
  ask: "A person is asked, also about a call that Claude Code would run unasked.",
});
export type PolicyAction = z.infer<typeof PolicyActionSchema>;

/** The fields of a rule, as a team file has them too. */
export const policyRuleFields = {
  tool: z
    .string()
    .min(1)
    .default("*")
    .describe("A tool's name; * stands for any characters. By default all tools."),
  match: z
    .string()
    .min(1)
    .optional()
    .describe("Compared with the command, path or URL of the call; * stands for any characters."),
  action: PolicyActionSchema,
  reason: z.string().min(1).optional().describe("What the model is told about a denial."),
};

// Strict: a misspelled field would make a rule mean more, or less, than was written.
export const PolicyRuleSchema = z
  .strictObject({
    ...policyRuleFields,
    name: z
      .string()
      .min(1)
      .optional()
      .describe("What the rule is called in records; by default its number and what it says."),
  })
  .meta({ id: "PolicyRule" });
export type PolicyRule = z.infer<typeof PolicyRuleSchema>;

/** The file of `agent-socket --policy`. The first rule that matches a call decides. */
export const PolicyFileSchema = z.array(PolicyRuleSchema).meta({ id: "PolicyFile" });

/** What a rule decides about a request, for display. */
export const PolicyVerdictSchema = z
  .object({
    action: PolicyActionSchema,
    rule: z.string().min(1).describe("The name of the rule."),
  })
  .meta({ id: "PolicyVerdict" });
