import type { JsonObject } from "../../wire/json.ts";

/** A rule that a value violates, and where. */
export interface Violation {
  /** Such as `items[0].name`; empty for the value itself. */
  readonly path: string;
  readonly rule: string;
}

/** Valid, with the value that the schema makes of it; or invalid, and why. */
export type Validation = { ok: true; value: unknown } | { ok: false; violations: Violation[] };

/** A schema that others can read, and that validates values. */
export interface Validator {
  readonly schema: JsonObject;
  readonly validate: (value: unknown) => Validation | Promise<Validation>;
}

export function describeViolations(violations: readonly Violation[], most = 5): string {
  const described = violations
    .slice(0, most)
    .map(({ path, rule }) => (path ? `${path}: ${rule}` : rule));
  if (violations.length > most) described.push(`and ${violations.length - most} more`);
  return described.join("; ");
}

/** Spelled as in code. */
export function pathOf(keys: readonly PropertyKey[]): string {
  const steps = keys.map(String).map((key) => {
    if (/^\d+$/.test(key)) return `[${key}]`;
    return /^[\w$]+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
  });
  return steps.join("").replace(/^\./, "");
}
