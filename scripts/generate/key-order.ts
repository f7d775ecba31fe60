const first = [
  "$schema",
  "$id",
  "$ref",
  "title",
  "description",
  "type",
  "const",
  "enum",
  "default",
];
const last = ["properties", "required", "items", "additionalProperties", "oneOf", "anyOf", "$defs"];

/** Keywords of maps from names to schemas: the names are not keywords. */
const maps = new Set(["properties", "$defs"]);

/** A JSON Schema with its keywords in one fixed order, whatever order its maker chose. */
export function inOrder(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(inOrder);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .sort(([a], [b]) => rank(a) - rank(b) || a.localeCompare(b))
      .map(([key, value]) => [key, maps.has(key) ? namesOf(key, value) : inOrder(value)]),
  );
}

/** Properties stay as they were written; definitions are looked up by name. */
function namesOf(keyword: string, map: object): object {
  const entries = Object.entries(map);
  if (keyword === "$defs") entries.sort(([a], [b]) => a.localeCompare(b));
  return Object.fromEntries(entries.map(([name, schema]) => [name, inOrder(schema)]));
}

function rank(key: string): number {
  if (first.includes(key)) return first.indexOf(key) - first.length;
  return last.includes(key) ? 1 + last.indexOf(key) : 0;
}
