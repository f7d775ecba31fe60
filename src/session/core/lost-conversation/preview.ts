import type { StoredText } from "../../../wire/blob.ts";
import { BlobRefSchema } from "../../../wire/blob.ts";
import type { JsonObject, JsonValue } from "../../../wire/json.ts";
import { isRecord } from "../../../wire/json.ts";

/** A text, or the preview of one that is stored as a blob. */
export const previewOf = (text: StoredText): string =>
  typeof text === "string" ? text : `${text.preview}…`;

/** A tool's input with previews in place of strings that are stored as blobs. */
export function previewInput(input: JsonObject): JsonObject {
  const entries = Object.entries(input).map(([key, value]) => [key, previewValue(value)] as const);
  return Object.fromEntries(entries);
}

function previewValue(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(previewValue);
  if (!isRecord(value)) return value;
  const ref = BlobRefSchema.safeParse(value);
  return ref.success ? previewOf(ref.data) : previewInput(value);
}
