import type { JsonObject, JsonValue } from "agent-switchboard/wire";

const fields: Readonly<Record<string, string>> = {
  Bash: "command",
  Write: "content",
  Edit: "new_string",
  NotebookEdit: "new_source",
};

/** The one field of a tool's input that a person would change; undefined: they change all of it, as JSON. */
export function editedField(tool: string, input: JsonObject): string | undefined {
  const field = Object.hasOwn(fields, tool) ? fields[tool] : undefined;
  return field !== undefined && typeof input[field] === "string" ? field : undefined;
}

export function editedText(input: JsonObject, field: string | undefined): string {
  const text = field === undefined ? undefined : input[field];
  return typeof text === "string" ? text : JSON.stringify(input, undefined, 2);
}

/** The input with the person's text in it. Undefined when the text should be a JSON object and is none. */
export function changedInput(
  input: JsonObject,
  field: string | undefined,
  text: string,
): JsonObject | undefined {
  if (field !== undefined) return { ...input, [field]: text };
  try {
    const value = JSON.parse(text) as JsonValue;
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? value : undefined;
  } catch {
    return undefined;
  }
}
