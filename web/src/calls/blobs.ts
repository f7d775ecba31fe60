import type { BlobRef, JsonObject, JsonValue } from "agent-switchboard/wire";

/** A part of an input that was too large for the event. */
export function isBlobRef(value: JsonValue | undefined): value is BlobRef & JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const { blob, bytes, preview } = value;
  return typeof blob === "string" && typeof bytes === "number" && typeof preview === "string";
}

export const hasBlobs = (value: JsonValue): boolean =>
  isBlobRef(value) ||
  (typeof value === "object" && value !== null && Object.values(value).some(hasBlobs));

/** The input with every large part in its place. @throws what `load` throws. */
export async function withBlobs(
  value: JsonValue,
  load: (blob: string) => Promise<string>,
): Promise<JsonValue> {
  if (isBlobRef(value)) return load(value.blob);
  if (Array.isArray(value)) return Promise.all(value.map((each) => withBlobs(each, load)));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(
    async ([name, each]) => [name, await withBlobs(each, load)] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}
