import type { SessionEventOf } from "../../client/index.ts";

type StoredText = SessionEventOf<"tool_result">["output"];

/** A text, or the beginning of one that is stored apart. */
export const textOf = (stored: StoredText): string =>
  typeof stored === "string" ? stored : `${stored.preview}\n… (${stored.bytes} bytes in all)`;

/** The same for a field of a call's input, of which anything may be expected. */
export function fieldText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return undefined;
  const preview: unknown = Reflect.get(value, "preview");
  return typeof preview === "string" && "blob" in value ? preview : undefined;
}
