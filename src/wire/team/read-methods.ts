import * as z from "zod";
import { BlobIdSchema, SeqSchema } from "../id-schemas.ts";
import { CommunicationLogLevelSchema } from "./communication-log.ts";
import { TeamEventTypeSchema } from "./events.ts";
import { AgentIdSchema, MessageIdSchema, MessageTypeSchema } from "./messages.ts";
import { TaskStateSchema } from "./task.ts";

// The params of methods that only read. They work on a stopped team too.

/** How many entries a page has at most. */
export const PageLimitSchema = z.int().min(1).max(1000);
const time = z.iso.datetime({ offset: true });
const MAX_TEXT = 1000;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

const cursor = z
  .string()
  .optional()
  .describe("Only what is older than a page before: what that one gave as before.");

const communication = {
  level: CommunicationLogLevelSchema.default("INFO"),
  from: AgentIdSchema.optional(),
  to: AgentIdSchema.optional(),
  type: MessageTypeSchema.optional(),
  since: time.optional().describe("Only what was written down at this time or later."),
  until: time.optional().describe("Only what was written down at this time or earlier."),
};

/** The params of each method that only reads. */
export const readMethods = {
  timeline: z.object({
    before: SeqSchema.optional().describe("Events before this one; the newest by default."),
    after: SeqSchema.optional().describe("Events after this one, the next ones first."),
    limit: PageLimitSchema.default(200),
    types: z.array(TeamEventTypeSchema).min(1).optional().describe("Only events of these types."),
    agent: AgentIdSchema.optional().describe("Only events that name this agent."),
    root: MessageIdSchema.optional().describe(
      "Only events that name a message or task of the exchange that this message belongs to.",
    ),
  }),
  agent_history: z.object({
    agent: AgentIdSchema.describe("Also one that has no process, or has left the team."),
    before: SeqSchema.optional().describe("Events before this one; the newest by default."),
    limit: PageLimitSchema.default(200),
    whole: z
      .boolean()
      .default(false)
      .describe("The deltas of a text come as one event, which has the number of the first."),
  }),
  agent_blob: z.object({
    agent: AgentIdSchema,
    blob: BlobIdSchema,
    offset: z.int().min(0).default(0).describe("First byte to send."),
    limit: z.int().min(1).optional().describe("Most bytes to send."),
  }),
  team: z.object({}),
  budgets: z.object({}),
  tasks: z.object({
    all: z.boolean().default(false).describe("Also those that have ended."),
    state: TaskStateSchema.optional().describe("Only tasks in this state, open or not."),
    agent: AgentIdSchema.optional().describe("Only tasks from this agent or to it."),
    root: MessageIdSchema.optional().describe("Only tasks of the exchange that this one began."),
    before: cursor,
    limit: PageLimitSchema.default(200),
  }),
  task: z.object({ id: MessageIdSchema }),
  log: z.object({
    ...communication,
    text: z
      .string()
      .min(1)
      .max(MAX_TEXT)
      .optional()
      .describe("Only lines whose message or error has this text, in any case of letters."),
    limit: PageLimitSchema.default(200),
    before: cursor,
  }),
  log_stats: z.object({
    ...communication,
    since: time.optional().describe("By default 24 hours before until."),
    until: time.optional().describe("By default now."),
    bucket_ms: z
      .int()
      .min(1000)
      .max(31 * DAY_MS)
      .default(HOUR_MS)
      .describe("How long each bucket is."),
  }),
} as const;
