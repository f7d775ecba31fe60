import type * as z from "zod";
import type { Validator } from "./validator.ts";
import type { JsonSchema } from "./json-schema-validator.ts";
import { jsonSchemaValidator } from "./json-schema-validator.ts";
import { isZodSchema, zodValidator } from "./zod-schema-validator.ts";

export type SchemaSource = z.core.$ZodType | JsonSchema;

/**
 * Each value is validated once, by the schema that the author wrote: a zod schema by zod, which knows its refinements
 * and applies its defaults and transforms; a JSON Schema by ajv.
 *
 * @throws a plain error that says what is wrong with the schema.
 */
export function chooseValidator(source: SchemaSource, io: "input" | "output"): Validator {
  const validator = isZodSchema(source) ? zodValidator(source, io) : jsonSchemaValidator(source);
  if (validator.schema["type"] === "object") return validator;
  throw new Error('its root must be of type "object", because tools take and return named fields');
}
