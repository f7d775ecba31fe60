/** Every case in all of its surroundings, which takes minutes; a run without RECOVERY_ROUNDS makes a choice. */
export const allCells = process.env["RECOVERY_ROUNDS"] !== undefined;

/**
 * How often the kill suites repeat each case: once by default, so that a run stays short. Before a CLI
 * version is listed as proven, they are run with RECOVERY_ROUNDS=20.
 */
export const rounds: number[] = Array.from(
  { length: Number(process.env["RECOVERY_ROUNDS"] ?? 1) },
  (_, round) => round,
);

/** The model answers at once, soon, or late: windows of a few milliseconds open at each. */
export const modelDelayMs = (round: number): number => [150, 0, 600, 40, 1_500][round % 5] ?? 0;
