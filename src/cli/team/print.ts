export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export const printJson = (value: unknown): void => print(JSON.stringify(value));

/** Resolves with the signal's name when a person or the system wants us to end. */
export function untilInterrupted(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => resolve(signal));
  }
  return promise;
}

/** Columns as wide as their longest cell. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? "").length)),
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
