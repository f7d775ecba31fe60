import type { Figure } from "../harness.ts";

/** A number from the environment, so that a trial can be short. */
export const countOf = (name: string, usual: number): number => Number(process.env[name] ?? usual);

export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? NaN;
}

/** The middle and the bad end. */
export function spread(name: string, values: readonly number[]): Figure[] {
  return [
    { name: `${name}, P50`, value: percentile(values, 50), unit: "ms" },
    { name: `${name}, P99`, value: percentile(values, 99), unit: "ms" },
  ];
}
