import { Buffer } from "node:buffer";
import { errorOf } from "../../wire/errors.ts";
import type { Limits } from "../file/team-schema.ts";
import type { Refusal } from "./refusal.ts";

export function checkSize(
  { content, thinking }: { readonly content: string; readonly thinking?: string | null },
  limits: Pick<Limits, "content_bytes" | "thinking_bytes">,
): Refusal {
  return (
    within("content", content, limits.content_bytes) ??
    within("thinking", thinking ?? "", limits.thinking_bytes)
  );
}

function within(field: string, text: string, limit: number): Refusal {
  const size = Buffer.byteLength(text);
  if (size <= limit) return undefined;
  return errorOf("message_too_large", `${field}: ${size} bytes are over the limit of ${limit}.`, {
    data: { field, size, limit },
    hint: "Write it to a file in the working directory and send the path with a summary.",
  });
}
