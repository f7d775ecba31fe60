import type { JsonObject } from "../../wire/json.ts";

/** One rule that a value breaks, and where. */
export interface Breach {
  /** As in `items[0].name`; empty for the value itself. */
  readonly path: string;
  readonly rule: string;
}

/** Fit, with what the schema makes of the value; or not, and why. */
export type Judgement = { ok: true; value: unknown } | { ok: false; breaches: Breach[] };

/** A schema that others can read, and that judges values. */
export interface Judge {
  readonly schema: JsonObject;
  readonly judge: (value: unknown) => Judgement | Promise<Judgement>;
}

export function tellBreaches(breaches: readonly Breach[], most = 5): string {
  const told = breaches.slice(0, most).map(({ path, rule }) => (path ? `${path}: ${rule}` : rule));
  if (breaches.length > most) told.push(`and ${breaches.length - most} more`);
  return told.join("; ");
}

/** As a person would write it in code. */
export function pathOf(keys: readonly PropertyKey[]): string {
  const steps = keys.map(String).map((key) => {
    if (/^\d+$/.test(key)) return `[${key}]`;
    return /^[\w$]+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
  });
  return steps.join("").replace(/^\./, "");
}
