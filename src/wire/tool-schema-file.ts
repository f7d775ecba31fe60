import * as z from "zod";
import type { Checked } from "./check-message.ts";
import { check } from "./check-message.ts";
import type { JsonObject } from "./json.ts";
import { JsonObjectSchema } from "./json-schemas.ts";

/** A JSON Schema whose instances are objects; tools take and return nothing else. */
const ObjectJsonSchema: z.ZodType<JsonObject> = JsonObjectSchema.refine(
  (schema) => schema["type"] === "object",
  { path: ["type"], error: 'expected "object"' },
).meta({ properties: { type: { const: "object" } }, required: ["type"] });

export const ToolAnnotationsSchema = z
  .object({
    title: z.string().optional(),
    readOnlyHint: z.boolean().optional(),
    destructiveHint: z.boolean().optional(),
    idempotentHint: z.boolean().optional(),
    openWorldHint: z.boolean().optional(),
  })
  .describe("MCP's hints about what the tool does.");
export type ToolAnnotations = z.infer<typeof ToolAnnotationsSchema>;

export const ToolSchemaSchema = z
  .object({
    name: z.string().min(1),
    description: z.string(),
    input_schema: ObjectJsonSchema.describe("JSON Schema of the arguments."),
    title: z.string().optional().describe("Name for people."),
    output_schema: ObjectJsonSchema.optional().describe("JSON Schema of the structured result."),
    annotations: ToolAnnotationsSchema.optional(),
    idempotent: z
      .boolean()
      .optional()
      .describe(
        "Running a call twice does no harm, so it may be sent again after a lost connection.",
      ),
    _meta: JsonObjectSchema.optional().describe("Passed on in tools/list as it is."),
  })
  .meta({ id: "ToolSchema", description: "One tool, as the bridge process announces it." });
export type ToolSchema = z.infer<typeof ToolSchemaSchema>;

export const ToolSchemaFileSchema = z
  .array(ToolSchemaSchema)
  .superRefine((tools, context) => {
    const seen = new Set<string>();
    for (const [index, { name }] of tools.entries()) {
      if (seen.has(name)) {
        context.addIssue({ code: "custom", path: [index, "name"], message: "expected a new name" });
      }
      seen.add(name);
    }
  })
  .describe("The file that tells a bridge process which tools to announce.");
export type ToolSchemaFile = z.infer<typeof ToolSchemaFileSchema>;

/** Fails with `invalid_params` on an empty or repeated name and on a schema that is not of objects. */
export function parseToolSchemaFile(value: unknown): Checked<ToolSchemaFile> {
  return check(ToolSchemaFileSchema, value, "tools");
}
