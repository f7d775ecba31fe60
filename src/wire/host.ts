import * as z from "zod";
import { WireErrorSchema } from "./error-schema.ts";
import { JsonObjectSchema } from "./json-schemas.ts";
import { PermissionModeSchema } from "./session/shared-schemas.ts";
import { AgentIdSchema } from "./team/messages.ts";
import { ToolSchemaSchema } from "./tool-schema-file.ts";

// What a team and a host, where some of its agents run, say to each other through a tunnel.

const count = z.int().min(0);

/** A name that is one token of a NATS subject. */
export const HostNameSchema = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);

const TermSchema = count.describe("Raised when the agent is given to another host.");
const MarkSchema = z.record(z.string(), z.string()).describe("By it the host finds a run again.");

/** In the beats of a host. */
export const HostSaysSchema = z.object({
  version: z.string(),
  labels: z.record(z.string(), z.string()),
  agents: z.array(AgentIdSchema).optional().describe("The only agents that it runs. Absent: any."),
  rehearsed: z.boolean().describe("A script plays the model there."),
});
export type HostSays = z.infer<typeof HostSaysSchema>;

/** In the beats of a team to one host. */
export const TeamSaysSchema = z.object({
  epoch: count.describe("Raised by each process of the team."),
  agents: z.record(AgentIdSchema, TermSchema).describe("The agents that this host may run."),
});
export type TeamSays = z.infer<typeof TeamSaysSchema>;

/** What a stream is for. */
export const HostStreamSchema = z.discriminatedUnion("kind", [
  z
    .object({ kind: z.literal("request") })
    .describe("One request and its answer, as lines of JSON."),
  z
    .object({ kind: z.literal("session"), agent: AgentIdSchema, run: z.string() })
    .describe("To the session of a run."),
  z
    .object({ kind: z.literal("tools"), agent: AgentIdSchema })
    .describe("From a bridge of the agent to the team's tools."),
]);

const agent = AgentIdSchema;
const request = <const Type extends string, Shape extends z.core.$ZodLooseShape>(
  type: Type,
  shape: Shape,
) => z.object({ type: z.literal(type), ...shape });

const place = {
  agent,
  session: z
    .string()
    .regex(/^[\w-]{1,128}$/)
    .describe("Of Claude Code."),
  isolation: z.enum(["config", "home", "shared"]).describe("Of the agent."),
};

/** A file of a conversation: Claude Code's own, or one of the log of its session. */
const ConversationFileSchema = z.object({
  name: z.string().min(1).max(1000),
  bytes: count,
  sha256: z.string(),
});
export type ConversationFile = z.infer<typeof ConversationFileSchema>;

/** What a team asks of a host. No request carries a key: those of the host's own environment count. */
export const HostRequestSchema = z.discriminatedUnion("type", [
  request("start", {
    agent,
    epoch: count,
    term: TermSchema,
    team: JsonObjectSchema.describe("The team file, with the text of every prompt."),
    mark: MarkSchema,
    tools: z.object({ name: z.string(), schemas: z.array(ToolSchemaSchema) }).optional(),
    resume: z.string().optional(),
    mode: PermissionModeSchema.optional(),
    model: z.string().optional(),
    rehearsed: z.boolean(),
  }),
  request("until_gone", { agent, run: z.string() }),
  request("stop", {
    agent,
    mark: MarkSchema,
    asked_ms: count,
    cut: z.boolean().optional().describe("Kill it: its next run goes on with its turn."),
  }),
  request("dismiss", { agent, mark: MarkSchema }),
  request("end_runs", { marks: z.record(AgentIdSchema, MarkSchema) }),
  request("release", { agents: z.array(AgentIdSchema), clear: z.boolean() }),
  request("sweep", {}),
  request("open_log", { agent }),
  request("history", {
    agent,
    before: count.optional(),
    limit: count,
    whole: z.boolean().optional(),
  }),
  request("blob", { agent, blob: z.string(), offset: count, limit: count }),
  request("list_files", place),
  request("read_file", { ...place, name: z.string(), offset: count, limit: count }),
  request("write_file", {
    ...place,
    epoch: count,
    term: TermSchema,
    name: z.string(),
    offset: count,
    data: z.string().describe("In base64."),
  }),
  request("install_files", {
    ...place,
    epoch: count,
    term: TermSchema,
    files: z.array(ConversationFileSchema),
  }),
]);
export type HostRequest = z.infer<typeof HostRequestSchema>;

/** The answer to each request. */
export const hostAnswers = {
  start: z.object({ run: z.string(), mark: MarkSchema, log_hint: z.string() }),
  until_gone: z.object({ why: WireErrorSchema, killed: z.boolean() }),
  stop: z.object({ outcome: z.enum(["ended", "killed", "not_seen"]) }),
  dismiss: z.object({}),
  end_runs: z.object({ agents: z.array(AgentIdSchema) }),
  release: z.object({}),
  sweep: z.object({}),
  open_log: z.object({ log_id: z.string().optional() }),
  history: z.object({ events: z.array(JsonObjectSchema), more: z.boolean() }),
  blob: z.object({ bytes: count, offset: count, data: z.string().describe("In base64.") }),
  list_files: z.object({ files: z.array(ConversationFileSchema) }),
  read_file: z.object({ data: z.string().describe("In base64.") }),
  write_file: z.object({}),
  install_files: z.object({}),
} as const satisfies Record<HostRequest["type"], z.ZodType>;
export type HostAnswer<Type extends HostRequest["type"]> = z.infer<(typeof hostAnswers)[Type]>;

/** One line, which is the last of its stream. */
export const HostReplySchema = z.union([
  z.object({ answer: JsonObjectSchema }),
  z.object({ error: WireErrorSchema }),
]);
