import * as z from "zod";
import { strictObject } from "../../yaml/strict-object.ts";
import { policyRuleFields } from "../../wire/policy-rule.ts";
import { PermissionModeSchema } from "../../wire/session/shared-schemas.ts";
import { HostNameSchema } from "../../wire/host.ts";
import { AgentIdSchema, MAX_CONTENT_BYTES, MAX_THINKING_BYTES } from "../../wire/team/messages.ts";
import { McpServersSchema } from "./mcp-server-schema.ts";

// What a person writes in a team file. Times are in seconds, as people say them.

const count = z.int().min(1);
const seconds = z.number().min(0.001).max(86_400);
const names = z.array(z.string().min(1));

const LimitsSchema = strictObject({
  content_bytes: count.max(MAX_CONTENT_BYTES).default(MAX_CONTENT_BYTES),
  thinking_bytes: count.max(MAX_THINKING_BYTES).default(MAX_THINKING_BYTES),
  per_sender_per_minute: count.default(60),
  per_pair_per_minute: count.default(20),
  hops: count.max(100).default(8),
  messages_per_root: count.default(200),
  /** A longer body reaches the model as a preview. */
  inline_bytes: z.int().min(256).max(MAX_CONTENT_BYTES).default(8192),
  failed_starts: count.default(5),
  // Fewer than failed starts: a message that ends its recipient is taken away before the recipient is.
  delivery_attempts: count.default(3),
});

const TimeoutsSchema = strictObject({
  start: seconds.default(30),
  send: seconds.default(10),
  receive: seconds.default(60),
  task: seconds.default(300),
  idle: seconds.default(120),
  /** How long agents live on when the team's process is gone. */
  linger: seconds.default(60),
  /** 0 waits for ever. */
  approval: z.number().min(0).max(86_400).default(300),
  /** An agent that was ready for less than this had a failed start. */
  stable: seconds.default(30),
});

const amounts = {
  usd: z.number().positive().optional(),
  tokens: count.optional(),
  turns: count.optional(),
};
const BudgetSchema = strictObject(amounts);
export type Budget = z.infer<typeof BudgetSchema>;

const TeamBudgetSchema = strictObject({
  ...amounts,
  /** For each task, with all that it leads to. */
  task: BudgetSchema.optional(),
});

const PolicyRuleSchema = strictObject({
  agents: z.array(AgentIdSchema).min(1).optional(),
  ...policyRuleFields,
});
export type TeamPolicyRule = z.infer<typeof PolicyRuleSchema>;

const ToolsSchema = strictObject({
  /** Files of functions, as `switchboard tools` takes them. */
  files: names.default([]),
  /** The only tools of Claude Code that it has; by default all. Tools of servers are not meant. */
  only: names.optional(),
  allow: names.default([]),
  deny: names.default([]),
});

const agentFields = {
  prompt: z.string().min(1).optional(),
  prompt_file: z.string().min(1).optional(),
  model: z.string().min(1).optional(),
  /** The files alone, or everything about tools. */
  tools: z.union([names, ToolsSchema]).default([]),
  mcp: McpServersSchema.default({}),
  permission_mode: PermissionModeSchema.default("default"),
  isolation: z.enum(["config", "home", "shared"]).default("config"),
  may_message: z.array(AgentIdSchema).optional(),
  may_interrupt: z.array(AgentIdSchema).default([]),
  workdir: z.string().min(1).optional(),
  worktree: z.boolean().default(false),
  budget: BudgetSchema.optional(),
  /** The machine that runs it, by the name under which it joins the team. */
  host: HostNameSchema.optional(),
  /** Any machine that has joined with these labels. */
  labels: z
    .record(z.string(), z.string())
    .refine((labels) => Object.keys(labels).length > 0, "Name at least one label, or leave it out.")
    .optional(),
  /** A sub-agent of Claude Code, `claude/NAME`, whose file says what is not said here. */
  from: z
    .string()
    .regex(/^claude\/.+$/)
    .optional(),
};

const AgentSchema = strictObject({ description: z.string().min(1), ...agentFields })
  .refine(({ host, labels }) => host === undefined || labels === undefined, {
    error: "Give host or labels, not both: a host that is named needs no labels.",
    when: ({ issues }) => issues.length === 0,
  })
  .refine(({ prompt, prompt_file }) => (prompt === undefined) !== (prompt_file === undefined), {
    error: "An agent needs either prompt (the text) or prompt_file (a path beside this file).",
    when: ({ issues }) => issues.length === 0,
  })
  .refine(({ workdir, worktree }) => workdir === undefined || !worktree, {
    error: "Give workdir or worktree, not both: a worktree has a directory of its own.",
    when: ({ issues }) => issues.length === 0,
  });

/** As a person writes it: a sub-agent's file may have the description. */
const WrittenAgentSchema = strictObject({
  description: z.string().min(1).optional(),
  ...agentFields,
});

const teamFields = {
  name: AgentIdSchema,
  description: z.string().optional(),
  lead: AgentIdSchema,
  /** Trust the working directories, as `agent-socket --trust` does. */
  trust: z.boolean().default(false),
  /** Ask each new agent to state its role before it gets work. */
  confirm_roles: z.boolean().default(true),
  /** Go on by itself when a usage limit has ended an agent's turn and resets. */
  continue_at_reset: z.boolean().default(false),
  limits: LimitsSchema.default(LimitsSchema.parse({})),
  timeouts: TimeoutsSchema.default(TimeoutsSchema.parse({})),
  budget: TeamBudgetSchema.default({}),
  policy: z.array(PolicyRuleSchema).default([]),
};

const agentsOf = <Agent extends z.ZodType>(agent: Agent) =>
  z
    .record(AgentIdSchema, agent)
    .refine((agents) => Object.keys(agents).length > 0, "A team needs at least one agent.");

/** A team file in which what sub-agents say is filled in. */
export const TeamFileSchema = strictObject({ ...teamFields, agents: agentsOf(AgentSchema) });
/** The file itself, for editors. */
export const WrittenTeamFileSchema = strictObject({
  ...teamFields,
  agents: agentsOf(WrittenAgentSchema),
});
export type TeamFile = z.infer<typeof TeamFileSchema>;
export type Limits = TeamFile["limits"];
