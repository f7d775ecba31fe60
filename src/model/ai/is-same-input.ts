import type { JsonObject, JsonValue } from "../../wire/json.ts";
import { isRecord } from "../../wire/json.ts";

/**
 * Whether the input of a call is still the model's. The AI SDK returns it as the tool's schema made it: with
 * defaults, without unknown keys, trimmed, or of another type (`"5"` as a number, a day as a date). These are not
 * edits.
 *
 * @param schema of the input, as the model saw it. Where it does not restrict something, anything may be there.
 */
export function isSameInput(given: JsonValue, back: JsonValue, schema?: JsonValue): boolean {
  if (Array.isArray(given) && Array.isArray(back)) {
    const items = isRecord(schema) ? schema["items"] : undefined;
    return (
      given.length === back.length &&
      given.every((item, at) => isSameInput(item, back[at] as JsonValue, items))
    );
  }
  if (isRecord(given) && isRecord(back)) return isSameObject(given, back, schema);
  if (typeof given === "object" || typeof back === "object") return given === back;
  return isSameValue(given, back);
}

function isSameObject(given: JsonObject, back: JsonObject, schema?: JsonValue): boolean {
  const properties = isRecord(schema) ? schema["properties"] : undefined;
  const known = isRecord(properties) ? properties : undefined;
  const keys = new Set([...Object.keys(given), ...Object.keys(back)]);
  return [...keys].every((key) => {
    const [one, other, rule] = [given[key], back[key], known?.[key]];
    if (one === undefined) return !known || hasDefault(rule);
    if (other === undefined) return !known || rule === undefined;
    return isSameInput(one, other, rule);
  });
}

const hasDefault = (rule: JsonValue | undefined): boolean =>
  isRecord(rule) && Object.hasOwn(rule, "default");

type Plain = string | number | boolean;

function isSameValue(given: JsonValue, back: JsonValue): boolean {
  if (given === back) return true;
  const [one, other] = [given as Plain, back as Plain];
  if (typeof one === "string" && typeof other === "string") {
    return one.trim().toLowerCase() === other.trim().toLowerCase() || isSameMoment(one, other);
  }
  if (typeof one === typeof other) return false;
  return String(one).trim().toLowerCase() === String(other) || Number(one) === Number(other);
}

/** One of them is a date as JSON writes it. */
function isSameMoment(one: string, other: string): boolean {
  const moments = [one, other].map((text) => Date.parse(text));
  const written = moments.map((moment) =>
    Number.isNaN(moment) ? undefined : new Date(moment).toISOString(),
  );
  return written[0] === written[1] && written[1] === other;
}
