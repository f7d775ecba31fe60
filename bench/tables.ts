import type { Absence, Report, Row, SurveyReport } from "./harness.ts";

/** A comparison as a table for people. */
export function tableOf({ title, clock, rows, absent, notes }: Report): string {
  const table = [["", "each", "throughput", "ratio", "goal"], ...rows.map(cellsOf)];
  return layOut(`${title} (${clock} time)`, table, absent, notes);
}

export function surveyTableOf({ title, figures, absent }: SurveyReport): string {
  const table = figures.map(({ name, value, unit, goal, goalReached }) => [
    name,
    `${shown(value)} ${unit}`,
    goal
      ? `${"atMost" in goal ? `≤ ${goal.atMost}` : `≥ ${goal.atLeast}`} ${markOf(goalReached)}`
      : "",
  ]);
  return layOut(title, [["", "", "goal"], ...table], absent);
}

function cellsOf(row: Row): string[] {
  const { name, microsecondsPerMessage, megabytesPerSecond, ratio, goalRatio, goalReached } = row;
  return [
    name,
    duration(microsecondsPerMessage),
    megabytesPerSecond > 0 ? `${shown(megabytesPerSecond)} MB/s` : "",
    `× ${ratio.toFixed(2)}`,
    goalRatio === undefined ? "" : `≤ ${goalRatio.toFixed(2)} ${markOf(goalReached)}`,
  ];
}

function layOut(title: string, table: string[][], absent: Absence[], notes: string[] = []): string {
  const widths = table[0]!.map((_, column) =>
    Math.max(...table.map((line) => line[column]!.length)),
  );
  const lines = table.map((line) =>
    line
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!),
      )
      .join("   ")
      .trimEnd(),
  );
  const missing = absent.map(({ name, reason }) => `${name.padEnd(widths[0]!)}   ${reason}`);
  const below = [...lines, ...missing, ...notes];
  return [title, ...below.map((line) => `  ${line}`), ""].join("\n");
}

const markOf = (reached: boolean | undefined): string => (reached ? "✓" : "✗");

const duration = (microseconds: number): string =>
  microseconds < 1000 ? `${microseconds.toFixed(2)} µs` : `${(microseconds / 1000).toFixed(2)} ms`;

const shown = (value: number): string =>
  Number.isInteger(value) || value >= 100 ? value.toFixed(0) : value.toFixed(2);
