import { styleText } from "node:util";
import { errorTable } from "../wire/error-table.ts";
import { toWire } from "../wire/error-wire.ts";
import { ClaudeCodeError } from "../wire/errors.ts";

export interface FailureStyle {
  /** One WireError as JSON, for programs, in place of text for people. */
  json: boolean;
  /** The stream of the text, which decides whether colours are used. */
  stream: NodeJS.WritableStream;
}

/** Prints what went wrong and returns the exit code of the error table. */
export function fail(thrown: unknown, style: FailureStyle): number {
  style.stream.write(
    `${style.json ? JSON.stringify(toWire(thrown)) : forPeople(thrown, style.stream)}\n`,
  );
  return errorTable[toWire(thrown).code].exit;
}

function forPeople(thrown: unknown, stream: NodeJS.WritableStream): string {
  const { code, message, hint } = toWire(thrown);
  const paint = (format: "red" | "dim", text: string): string =>
    styleText(format, text, { stream });
  const lines = [`${paint("red", "error:")} ${message} ${paint("dim", `(${code})`)}`, `  ${hint}`];
  // Any other error is a defect: its report needs the location.
  const isDefect = code === "internal" && !(thrown instanceof ClaudeCodeError);
  if (isDefect && thrown instanceof Error && thrown.stack) {
    lines.push(paint("dim", thrown.stack));
  }
  return lines.join("\n");
}
