import * as z from "zod";
import type { JsonObject } from "../../wire/json.ts";
import type { Violation, Validator } from "./validator.ts";
import { pathOf, describeViolations } from "./validator.ts";

/** Checks the mark of zod 4, whatever copy of it made the schema. */
export function isZodSchema(value: unknown): value is z.core.$ZodType {
  return typeof value === "object" && value !== null && "_zod" in value;
}

/** @throws zod's error when the schema has no JSON Schema form. */
export function zodValidator(source: z.core.$ZodType, io: "input" | "output"): Validator {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(source, { io });
  return {
    schema: schema as JsonObject,
    async validate(value) {
      const parsed = await z.safeParseAsync(source, value);
      return parsed.success
        ? { ok: true, value: parsed.data }
        : { ok: false, violations: parsed.error.issues.map((issue) => toViolation(issue)) };
    },
  };
}

/** The issues of a part have paths relative to it: `at` leads from the root to the part. */
function toViolation(issue: z.core.$ZodIssue, at: readonly PropertyKey[] = []): Violation {
  const path = [...at, ...issue.path];
  return { path: pathOf(path), rule: ruleOf(issue, path) };
}

function ruleOf(issue: z.core.$ZodIssue, path: readonly PropertyKey[]): string {
  const rule = issue.message.replace(/^Invalid (?:input|option): /, "");
  if (rule.endsWith("received undefined")) return "is missing";
  if (issue.code === "invalid_key") return `${rule}: ${tellPart(issue.issues, path)}`;
  // zod says no more of a union; an author's own message stays.
  if (issue.code !== "invalid_union" || rule !== "Invalid input") return rule;
  const branches = new Set(issue.errors.map((issues) => tellPart(issues, path)));
  return [...branches].join(" or ") || rule;
}

/** The path of the part itself is already given. */
function tellPart(issues: readonly z.core.$ZodIssue[], at: readonly PropertyKey[]): string {
  const violations = issues.map((issue) => toViolation(issue, at));
  return describeViolations(
    violations.map(({ path, rule }) => ({ path: path === pathOf(at) ? "" : path, rule })),
  );
}
