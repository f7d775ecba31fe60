import * as z from "zod";
import { jsonWithin } from "../bounded-schemas.ts";
import { MAX_INLINE_BYTES } from "../blob.ts";
import { RequestIdSchema } from "../id-schemas.ts";
import { JsonObjectSchema } from "../json-schemas.ts";
import { agentEvent } from "./event-base.ts";
import { asked } from "./request-base.ts";

export const ElicitActionSchema = z
  .enum(["accept", "decline", "cancel"])
  .describe("As in MCP: the person agreed, said no, or left it open.");
export type ElicitAction = z.infer<typeof ElicitActionSchema>;

/** What a person filled in, by the names of the fields. */
export const FormContentSchema = jsonWithin(MAX_INLINE_BYTES, JsonObjectSchema).describe(
  `The fields of the form by their names, at most ${MAX_INLINE_BYTES} bytes of JSON.`,
);

export const ElicitationEventSchema = agentEvent(
  "elicitation",
  "An MCP server asks the user. Answer with respond, or deny.",
  {
    ...asked,
    server: z.string().min(1).describe("Name of the MCP server."),
    message: z.string().describe("What the server wants, in its own words."),
    mode: z.enum(["form", "url"]).describe("A form to be filled in, or a page to be opened."),
    schema: JsonObjectSchema.optional().describe(
      "Of a form: the JSON Schema of the content, an object of plain fields.",
    ),
    url: z
      .string()
      .optional()
      .describe("Of a page: its address. Show it whole, and open it only if the person says so."),
    elicitation_id: z
      .string()
      .optional()
      .describe("The server's own id of it, which a later notice about its end may name."),
    title: z.string().optional(),
    description: z.string().optional(),
    call: RequestIdSchema.optional().describe(
      "The tool call that waits for the answer, where it is known.",
    ),
  },
);
export type Elicitation = z.infer<typeof ElicitationEventSchema>;
