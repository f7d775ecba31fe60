import type { CommunicationEntry } from "./method-results.ts";

const columns = [
  "timestamp",
  "level",
  "from_agent",
  "to_agent",
  "message_type",
  "message_size",
  "duration_ms",
  "success",
  "error",
  "note",
] as const satisfies readonly (keyof CommunicationEntry)[];

/** As a spreadsheet reads it: RFC 4180, with a line of names. */
export function toCsv(entries: readonly CommunicationEntry[], { withHead = true } = {}): string {
  const lines = entries.map((entry) =>
    columns.map((column) => cell(entry[column] ?? null)).join(","),
  );
  return [...(withHead ? [columns.join(",")] : []), ...lines, ""].join("\r\n");
}

function cell(value: string | number | boolean | null): string {
  const text = value === null ? "" : String(value);
  // A text that a spreadsheet would take for a formula is kept from running.
  const harmless = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
