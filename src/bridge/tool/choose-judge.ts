import type { z } from "zod";
import type { Judge } from "./judge.ts";
import type { JsonSchema } from "./json-schema.ts";
import { judgeByJsonSchema } from "./json-schema.ts";
import { isZodSchema, judgeByZod } from "./zod-schema.ts";

export type SchemaSource = z.core.$ZodType | JsonSchema;

/**
 * Each value is judged once, by the schema that the author wrote: a zod schema by zod, which knows its
 * refinements and applies its defaults and transforms; a JSON Schema by ajv.
 *
 * @throws a plain error that says what is wrong with the schema.
 */
export function chooseJudge(source: SchemaSource, io: "input" | "output"): Judge {
  const judge = isZodSchema(source) ? judgeByZod(source, io) : judgeByJsonSchema(source);
  if (judge.schema["type"] === "object") return judge;
  throw new Error('its root must be of type "object", because tools take and give named fields');
}
