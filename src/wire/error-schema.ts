import * as z from "zod";
import { errorCodes } from "./error-table.ts";
import { JsonObjectSchema } from "./json-schemas.ts";

/** An error in all our protocols; `error` events and JSON-RPC `data` have this shape. */
export const WireErrorSchema = z
  .object({
    code: z.enum(errorCodes).describe("What programs branch on."),
    message: z.string().describe("What happened."),
    retryable: z.boolean().describe("The same request, sent again unchanged, has a chance."),
    hint: z.string().describe("What to do next."),
    data: JsonObjectSchema.optional().describe("Facts for programs."),
  })
  .meta({ id: "WireError", description: "A failure, in the form that every protocol shares." });
export type WireError = z.infer<typeof WireErrorSchema>;
