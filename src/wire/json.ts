/** Any value that survives a trip through JSON. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | JsonValue[]
  | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

/**
 * How deep open values may nest. `JSON.parse` reads any depth, but `JSON.stringify` and other recursive code overflow
 * the stack on the result, so a deeper message is refused at once.
 */
export const MAX_JSON_DEPTH = 512;

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Whether a record has these texts; an optional one may be absent. For small files that each command reads at its start: zod
 * takes longer to load than such a command takes.
 */
export const hasTexts = (
  record: Record<string, unknown>,
  required: readonly string[],
  optional: readonly string[] = [],
): boolean =>
  required.every((name) => typeof record[name] === "string") &&
  optional.every((name) => record[name] === undefined || typeof record[name] === "string");

/** Whether it is any value that JSON can carry, nested at most `MAX_JSON_DEPTH` levels deep. */
export const isJsonValue = (value: unknown): value is JsonValue => isJson(value, MAX_JSON_DEPTH);

export function isJsonObject(value: unknown): value is JsonObject {
  return isRecord(value) && isJsonValue(value);
}

/** Whether two JSON values are equal. The order of an object's keys does not matter. */
export function isSameJson(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null)
    return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [ones, others] = [new Map(Object.entries(one)), new Map(Object.entries(other))];
  if (ones.size !== others.size) return false;
  return [...ones].every(([key, value]) => others.has(key) && isSameJson(value, others.get(key)));
}

function isJson(value: unknown, levels: number): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object") return typeof value === "string" || typeof value === "boolean";
  if (value === null) return true;
  return levels > 0 && Object.values(value).every((child) => isJson(child, levels - 1));
}
