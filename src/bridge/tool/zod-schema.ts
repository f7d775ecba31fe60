import { z } from "zod";
import type { JsonObject } from "../../wire/json.ts";
import type { Breach, Judge } from "./judge.ts";
import { pathOf } from "./judge.ts";

/** By the mark of zod 4, whatever copy or flavour of it made the schema. */
export function isZodSchema(value: unknown): value is z.core.$ZodType {
  return typeof value === "object" && value !== null && "_zod" in value;
}

/** @throws zod's error when the schema has no JSON Schema form. */
export function judgeByZod(source: z.core.$ZodType, io: "input" | "output"): Judge {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(source, { io });
  return {
    schema: schema as JsonObject,
    async judge(value) {
      const parsed = await z.safeParseAsync(source, value);
      return parsed.success
        ? { ok: true, value: parsed.data }
        : { ok: false, breaches: parsed.error.issues.map(toBreach) };
    },
  };
}

function toBreach({ path, message }: z.core.$ZodIssue): Breach {
  const rule = message.replace(/^Invalid (?:input|option): /, "");
  const isMissing = rule.endsWith("received undefined");
  return { path: pathOf(path), rule: isMissing ? "is missing" : rule };
}
