import { accessSync, constants } from "node:fs";
import { InvalidArgumentError, Option } from "commander";
import { describeFileError } from "../../files/describe-file-error.ts";

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

/** A name or a path: an empty one is probably a variable that a script forgot to set. */
export function named(text: string): string {
  if (text.trim() !== "") return text;
  throw new InvalidArgumentError("It is empty.");
}

/** The same for several. */
export const nameds = (text: string, before: string[] = []): string[] => [...before, named(text)];

/** A file that is read later. */
export function readable(text: string): string {
  try {
    accessSync(named(text), constants.R_OK);
    return text;
  } catch (error) {
    if (error instanceof InvalidArgumentError) throw error;
    throw new InvalidArgumentError(`${text}: ${describeFileError(error)}.`);
  }
}

/** The same for several. */
export const readables = (text: string, before: string[] = []): string[] => [
  ...before,
  readable(text),
];

/** A file, or its possible content. */
export const readableOrJson = (text: string): string =>
  text.trimStart().startsWith("{") ? text : readable(text);

/** A smaller file would be rotated with every other event. */
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

/** Rules as Claude Code writes them, separate or joined by commas; commas inside parentheses belong to the rule. */
export function toolList(text: string, before: string[] = []): string[] {
  const rules = text.split(/,(?![^(]*\))/).map((rule) => rule.trim());
  return [...before, ...rules.filter((rule) => rule !== "")];
}

/** For commands that read logs. */
export const stateDirOption = (): Option =>
  new Option(
    "--state-dir <dir>",
    "find logs in this directory (default: $XDG_STATE_HOME/switchboard)",
  ).argParser(named);
