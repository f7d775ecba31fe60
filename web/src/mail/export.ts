import type { CommunicationEntry } from "agent-switchboard/team/core";

const columns = [
  "message_id",
  "timestamp",
  "from_agent",
  "to_agent",
  "message_type",
  "message_size",
  "duration_ms",
  "success",
  "error",
] as const;

/** Spreadsheets take a cell that begins so for a formula. */
const formula = /^[=+\-@\t\r]/;

/** The communication log for a spreadsheet. */
export function csvOf(entries: readonly CommunicationEntry[]): string {
  const lines = entries.map((entry) => columns.map((column) => cellOf(entry[column])).join(","));
  return `${[columns.join(","), ...lines].join("\r\n")}\r\n`;
}

function cellOf(value: string | number | boolean | null | undefined): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "string" && formula.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export const jsonOf = (entries: readonly CommunicationEntry[]): string =>
  `${JSON.stringify(entries, null, 2)}\n`;

/** Saves a text as a file of the person's own. */
export function saveText(text: string, name: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
