import * as z from "zod";
import { StoredTextSchema } from "../blob.ts";
import { closedList } from "../explained-enum.ts";
import { RequestIdSchema, TimestampSchema } from "../id-schemas.ts";
import { JsonObjectSchema } from "../json-schemas.ts";
import { PolicyVerdictSchema } from "../policy-rule.ts";
import { FileChangeSchema } from "./file-change.ts";
import { agentEvent, event } from "./event-base.ts";
import { NoticeEventSchema } from "./state-events.ts";
import { ElicitActionSchema, ElicitationEventSchema, FormContentSchema } from "./elicitation.ts";
import { asked, RemainingSchema } from "./request-base.ts";
import { ToolInputSchema } from "./tool-events.ts";
import {
  AnswersSchema,
  ApprovalScopeSchema,
  GrantSchema,
  PermissionModeSchema,
} from "./shared-schemas.ts";

const ScopeOptionSchema = z
  .object({
    scope: ApprovalScopeSchema,
    label: z.string().describe("What this choice allows, in words for a button."),
    suggestions: z
      .array(JsonObjectSchema)
      .optional()
      .describe("The permission updates behind it, as the Agent SDK gives them."),
  })
  .meta({ id: "ScopeOption" });
export type ScopeOption = z.infer<typeof ScopeOptionSchema>;

const ApprovalRequestEventSchema = agentEvent(
  "approval_request",
  "A tool waits for permission. Answer with approve or deny.",
  {
    ...asked,
    tool: z.string().min(1),
    input: ToolInputSchema,
    title: z.string().optional().describe("The question, ready to be shown."),
    description: z.string().optional().describe("What the call is about to do."),
    reason: z.string().optional().describe("Why permission is needed."),
    blocked_path: z.string().optional().describe("The path that is out of bounds."),
    changes: z
      .array(FileChangeSchema)
      .optional()
      .describe(
        "What the call would change in files as they were when the session asked. Absent: nothing is known of that.",
      ),
    scopes: z.array(ScopeOptionSchema).min(1).describe("The choices that approve may name."),
    default_to_no: z.boolean().optional().describe("Offer the denial first."),
    policy: PolicyVerdictSchema.optional().describe(
      "The rule of the session's policy that fits. With allow or deny, approval_resolved follows by itself.",
    ),
  },
);

const QuestionSchema = z
  .object({
    question: z.string().min(1).describe("Also the key of its answer."),
    header: z.string().optional().describe("A word or two, for a tab or a chip."),
    options: z.array(
      z.object({
        label: z.string().min(1),
        description: z.string().optional(),
        preview: z.string().optional().describe("Shown while the option is in focus."),
      }),
    ),
    multi: z.boolean().describe("Several options may be chosen."),
  })
  .meta({ id: "Question" });
export type Question = z.infer<typeof QuestionSchema>;

const QuestionEventSchema = agentEvent(
  "question",
  "The model asks the user. Answer with answer, or deny.",
  { ...asked, questions: z.array(QuestionSchema).min(1) },
);

const PlanEventSchema = agentEvent(
  "plan",
  "The model has a plan and waits for permission to go on. Answer with approve or deny.",
  { ...asked, plan: StoredTextSchema.describe("Markdown.") },
);

const OutcomeSchema = closedList({
  allowed: "Also: the question was answered, or the form was filled.",
  denied: "A person, or a rule of theirs, said no.",
  timed_out: "No client answered before the deadline. The model is told so.",
  superseded: "After a crash, the session asks about the same call again under another request_id.",
  aborted: "The turn ended before anybody answered.",
});
export type ApprovalOutcome = z.infer<typeof OutcomeSchema>;

const ApprovalResolvedEventSchema = agentEvent(
  "approval_resolved",
  "A request has its outcome; later answers to it are refused.",
  {
    request_id: RequestIdSchema,
    outcome: OutcomeSchema,
    by: z.string().optional().describe("Name of the client that decided."),
    rule: z
      .string()
      .optional()
      .describe("Name of the rule that decided; only the session's own policy sets it."),
    scope: ApprovalScopeSchema.optional(),
    granted: z
      .array(JsonObjectSchema)
      .optional()
      .describe("The permission updates that scope brought, as the Agent SDK gives them."),
    file: z
      .string()
      .optional()
      .describe("Of scope always: the settings file that has the permission for later sessions."),
    reason: z.string().optional().describe("What the model was told about a denial."),
    updated_input: ToolInputSchema.optional().describe(
      "The input that the person put in its place.",
    ),
    answers: AnswersSchema.optional(),
    action: ElicitActionSchema.optional().describe(
      "Of an elicitation: what the MCP server was told. Without an answer in time it is told cancel.",
    ),
    content: FormContentSchema.optional().describe("Of an elicitation: the filled form."),
    mode: PermissionModeSchema.optional().describe("The mode that a plan goes on in."),
    plan: StoredTextSchema.optional().describe("The plan as the person edited it."),
  },
);

const RequestHeldEventSchema = agentEvent(
  "request_held",
  "A person asked for more time: the request has another deadline.",
  {
    request_id: RequestIdSchema,
    deadline: TimestampSchema.describe("Denied by itself at this time."),
    remaining_ms: RemainingSchema,
    by: z.string().optional().describe("Name of the client that asked for it."),
  },
);

const GrantRevokedEventSchema = event(
  "grant_revoked",
  "A permission was taken back. What it allowed is asked about again.",
  {
    grant: RequestIdSchema.describe("The id of the grant."),
    rule: z.string().describe("What it allowed."),
    by: z.string().optional().describe("Name of the client that took it back."),
  },
);

const GrantsEventSchema = event(
  "grants",
  "The permissions that stand, whole. It comes in a snapshot only.",
  { grants: z.array(GrantSchema) },
);

const PendingNoticeSchema = NoticeEventSchema.extend({ request_id: RequestIdSchema }).meta({
  id: "PendingNotice",
  description: "A notice that waits for approve or deny, as foreign_writer does.",
});

/** A request that a person has not answered yet. */
export const PendingRequestSchema = z.discriminatedUnion("type", [
  ApprovalRequestEventSchema,
  QuestionEventSchema,
  PlanEventSchema,
  ElicitationEventSchema,
  PendingNoticeSchema,
]);
export type PendingRequest = z.infer<typeof PendingRequestSchema>;
/** A request that the CLI waits for; it ends with the CLI. */
export type CliRequest = Exclude<PendingRequest, { type: "notice" }>;
/** A request that a tool call waits for, under the id of that call. */
export type CallRequest = Exclude<CliRequest, { type: "elicitation" }>;
export type PendingNotice = z.infer<typeof PendingNoticeSchema>;

export const approvalEvents = [
  ApprovalRequestEventSchema,
  QuestionEventSchema,
  PlanEventSchema,
  ElicitationEventSchema,
  RequestHeldEventSchema,
  ApprovalResolvedEventSchema,
  GrantRevokedEventSchema,
  GrantsEventSchema,
] as const;
