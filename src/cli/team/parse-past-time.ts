import { InvalidArgumentError } from "commander";

const units: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** The value of a flag that names a time: so long ago, or a date with or without a time of day where the person is. */
export function pastTime(text: string): string {
  const [, count, unit = ""] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text;
  const atMs =
    count === undefined ? Date.parse(day) : Date.now() - Number(count) * (units[unit] ?? 0);
  if (Number.isFinite(atMs) && Math.abs(atMs) <= MAX_TIME_MS) return new Date(atMs).toISOString();
  throw new InvalidArgumentError(
    "Expected how long ago, such as 30m, 2h or 3d, or a time, such as 2026-11-18T09:30.",
  );
}

/** The end of the year 9999: later years do not fit into a time of the protocol. */
const MAX_TIME_MS = 253_402_300_799_999;
