import { z } from "zod";
import type { JsonObject } from "../../wire/json.ts";
import type { Breach, Judge } from "./judge.ts";
import { pathOf, tellBreaches } from "./judge.ts";

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
        : { ok: false, breaches: parsed.error.issues.map((issue) => toBreach(issue)) };
    },
  };
}

/** Issues of a part have paths that begin there: `at` leads from the root to it. */
function toBreach(issue: z.core.$ZodIssue, at: readonly PropertyKey[] = []): Breach {
  const path = [...at, ...issue.path];
  return { path: pathOf(path), rule: ruleOf(issue, path) };
}

function ruleOf(issue: z.core.$ZodIssue, path: readonly PropertyKey[]): string {
  const rule = issue.message.replace(/^Invalid (?:input|option): /, "");
  if (rule.endsWith("received undefined")) return "is missing";
  if (issue.code === "invalid_key") return `${rule}: ${tellPart(issue.issues, path)}`;
  // Of a union zod says no more than that; an author's own words stay.
  if (issue.code !== "invalid_union" || rule !== "Invalid input") return rule;
  const branches = new Set(issue.errors.map((issues) => tellPart(issues, path)));
  return [...branches].join(" or ") || rule;
}

/** The path of the part itself is told already. */
function tellPart(issues: readonly z.core.$ZodIssue[], at: readonly PropertyKey[]): string {
  const breaches = issues.map((issue) => toBreach(issue, at));
  return tellBreaches(
    breaches.map(({ path, rule }) => ({ path: path === pathOf(at) ? "" : path, rule })),
  );
}
