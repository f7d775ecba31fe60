import { accessSync, constants } from "node:fs";
import { InvalidArgumentError } from "commander";
import { fileTrouble } from "../../rehearsal/file-trouble.ts";

/** A whole number, 0 or more. */
export function count(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected a whole number.");
}

/** A whole number above 0. */
export function positiveCount(text: string): number {
  const value = count(text);
  if (value > 0) return value;
  throw new InvalidArgumentError("Expected a whole number above 0.");
}

/** A name or a path: an empty one is a variable that a script forgot to set. */
export function named(text: string): string {
  if (text.trim() !== "") return text;
  throw new InvalidArgumentError("It is empty.");
}

/** A file that will be read later on. */
export function readable(text: string): string {
  try {
    accessSync(named(text), constants.R_OK);
    return text;
  } catch (error) {
    if (error instanceof InvalidArgumentError) throw error;
    throw new InvalidArgumentError(`${text}: ${fileTrouble(error)}.`);
  }
}

/** The same for several. */
export const readables = (text: string, before: string[] = []): string[] => [
  ...before,
  readable(text),
];

/** A file, or what could stand in one. */
export const readableOrJson = (text: string): string =>
  text.trimStart().startsWith("{") ? text : readable(text);

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
