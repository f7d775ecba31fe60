import * as z from "zod";
import { AgentIdSchema, MessageTypeSchema } from "./messages.ts";

/** How much of the communication log a reader wants to see: everything, summaries, reconnects and time-outs, failures. */
export const CommunicationLogLevelSchema = z.enum(["DEBUG", "INFO", "WARN", "ERROR"]);
export type CommunicationLogLevel = z.infer<typeof CommunicationLogLevelSchema>;

export const CommunicationLogSchema = z
  .object({
    message_id: z
      .string()
      .optional()
      .describe(
        "Of the message; a line about an agent has none, and neither has one of an older version.",
      ),
    timestamp: z.iso.datetime({ offset: true }),
    from_agent: AgentIdSchema,
    to_agent: z.string().describe("As the sender wrote it: there may be no such agent."),
    message_type: MessageTypeSchema,
    message_size: z.int().min(0).describe("Bytes of the message as it was sent."),
    duration_ms: z.number().min(0).nullable().describe("Null when it was never delivered."),
    success: z.boolean(),
    error: z.string().nullable().describe("Null on success."),
    note: z
      .string()
      .optional()
      .describe(
        "What no message says: what ran in place of the call that the agent asked for, and who changed it.",
      ),
  })
  .meta({ id: "CommunicationLog", description: "One message between agents, as it is recorded." });
export type CommunicationLog = z.infer<typeof CommunicationLogSchema>;
