import { InvalidArgumentError } from "commander";

/** A whole number, 0 or more. */
export function count(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected a whole number.");
}

/** A smaller file of the log would be begun anew with every other event. */
const LEAST_SEGMENT_BYTES = 65_536;

/** The size at which the log begins a new file. */
export function segmentBytes(text: string): number {
  const bytes = count(text);
  if (bytes >= LEAST_SEGMENT_BYTES) return bytes;
  throw new InvalidArgumentError(`Expected at least ${LEAST_SEGMENT_BYTES}.`);
}

/** More than nothing. */
export function amount(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError("Expected a number above 0.");
}

/** Rules as Claude Code writes them, apart or joined by commas; commas inside parentheses are the rule's. */
export function toolList(text: string, before: string[] = []): string[] {
  const rules = text.split(/,(?![^(]*\))/).map((rule) => rule.trim());
  return [...before, ...rules.filter((rule) => rule !== "")];
}
