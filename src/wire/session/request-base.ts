import * as z from "zod";
import { RequestIdSchema, TimestampSchema } from "../id-schemas.ts";

export const RemainingSchema = z
  .int()
  .min(0)
  .describe("Time up to the deadline when the host sent this, for a client whose clock is wrong.");

/** What every request to a person carries. */
export const asked = {
  request_id: RequestIdSchema,
  deadline: TimestampSchema.optional().describe("Denied by itself at this time; absent: never."),
  remaining_ms: RemainingSchema.optional(),
  again: z.boolean().optional().describe("Asked again after a crash, with the same request_id."),
  replaces: RequestIdSchema.optional().describe("The request that this one takes the place of."),
};
