import { InvalidArgumentError } from "commander";
import { cleanPainted } from "../attach/clean-text.ts";

/** For people. Agents wrote much of the text: none of it may control the terminal. */
export function print(text: string): void {
  process.stdout.write(`${cleanPainted(text)}\n`);
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** The time of day where the person is. */
export function clockTime(at: string | number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, "0"))
    .join(":");
}

/** Day and time where the person is. */
export function dayTime(at: string | number): string {
  const date = new Date(at);
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, "0"))
    .join("-");
  return `${day} ${clockTime(at)}`;
}

/** The value of a flag that counts something. */
export function positiveNumber(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError("Expected a number above 0.");
}

/** Columns as wide as their longest cell, or the given minimum. */
export function table(
  rows: readonly (readonly string[])[],
  minWidths: readonly number[] = [],
): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(minWidths[column] ?? 0, ...rows.map((row) => (row[column] ?? "").length)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0),
        )
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
