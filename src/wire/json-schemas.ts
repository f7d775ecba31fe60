// Apart from json.ts, so that a client in a browser does without zod.
import * as z from "zod";
import type { JsonObject, JsonValue } from "./json.ts";
import { isJsonObject, isJsonValue, isRecord, MAX_JSON_DEPTH } from "./json.ts";

const RULE = `expected a JSON value, nested at most ${MAX_JSON_DEPTH} levels deep`;

export const JsonValueSchema: z.ZodType<JsonValue> = z.custom<JsonValue>(isJsonValue, RULE);

export const JsonObjectSchema: z.ZodType<JsonObject> = z
  .custom<JsonObject>(isJsonObject, {
    error: ({ input }) => (isRecord(input) ? RULE : "expected an object"),
  })
  .meta({ type: "object" });
