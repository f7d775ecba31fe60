import type { JsonObject, JsonValue } from "../../wire/json.ts";
import { isRecord } from "../../wire/json.ts";

/** Keywords whose values are data, not schemas. */
const data: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);

/**
 * The JSON Schema without its regular expressions: one of a stranger could keep the session's process busy for ever. What
 * this schema refuses, the whole one refuses too.
 */
export const withoutPatterns = (schema: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) => {
      if (key === "pattern" && typeof value === "string") return [];
      if (key === "patternProperties") return [];
      // Which properties are additional depends on the patterns.
      if ("patternProperties" in schema && restOfProperties.has(key)) return [];
      return [[key, data.has(key) ? value : light(value)]];
    }),
  );

const restOfProperties: ReadonlySet<string> = new Set([
  "additionalProperties",
  "unevaluatedProperties",
]);

function light(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(light);
  return isRecord(value) ? withoutPatterns(value) : value;
}
