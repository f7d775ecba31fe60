import * as z from "zod";
import { WireErrorSchema } from "./error-schema.ts";
import { HostNameSchema } from "./host.ts";

// What the processes of one team that could all be its office say to each other, as JSON in core messages of NATS. It may be lost:
// who is the office is decided by the log alone.

const EpochSchema = z.int().min(0).describe("Of the newest office entry in the log.");

/** Said every second on `sb.TEAM.office`. */
export const OfficeBeatSchema = z.object({
  epoch: EpochSchema,
  name: HostNameSchema.describe("Of the machine."),
  stopped: z.boolean().optional().describe("A person has stopped the team: nobody is to follow."),
});
export type OfficeBeat = z.infer<typeof OfficeBeatSchema>;

/** Said every second on `sb.TEAM.standby` by a process that would follow the office. */
export const StandbyBeatSchema = z.object({
  name: HostNameSchema,
  incarnation: z.string().describe("Of the process."),
});
export type StandbyBeat = z.infer<typeof StandbyBeatSchema>;

/** Said on `sb.TEAM.office.take` by an office that has closed its bus: this process is to follow at once. */
export const HandOverSchema = z.object({ to: z.string().describe("An incarnation.") });

/** Asked on `sb.TEAM.office.ask`. */
export const OfficeQuestionSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("who") }),
  z.object({ type: z.literal("move"), to: HostNameSchema.optional() }),
]);
export type OfficeQuestion = z.infer<typeof OfficeQuestionSchema>;

export const OfficeAnswerSchema = z.union([
  z.object({ error: WireErrorSchema }),
  z.object({
    epoch: EpochSchema,
    name: HostNameSchema,
    standbys: z.array(HostNameSchema),
    to: HostNameSchema.optional().describe("The machine that the office moves to."),
  }),
]);
export type OfficeFacts = Exclude<z.infer<typeof OfficeAnswerSchema>, { error: unknown }>;
