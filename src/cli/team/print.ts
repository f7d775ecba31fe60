import { InvalidArgumentError } from "commander";

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export const printJson = (value: unknown): void => print(JSON.stringify(value));

/** The time of day where the person is. */
export function clockTime(at: string | number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, "0"))
    .join(":");
}

/** The value of a flag that counts something. */
export function positiveNumber(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError("Expected a number above 0.");
}

/** Columns as wide as their longest cell, and as they have to be. */
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
