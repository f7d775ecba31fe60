import { styleText } from "node:util";
import { errorTable } from "../wire/error-table.ts";
import { toWire } from "../wire/error-wire.ts";
import { ClaudeCodeError } from "../wire/errors.ts";

export interface FailureStyle {
  /** One WireError as JSON, for programs, in place of text for people. */
  json: boolean;
  /** Where the text goes: it decides whether colours are used. */
  stream: NodeJS.WritableStream;
}

/** Says what went wrong and gives back the exit code that the error table has for it. */
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
  // What is not an error of ours is a defect: whoever reports it needs to say where it was.
  if (!(thrown instanceof ClaudeCodeError) && thrown instanceof Error && thrown.stack) {
    lines.push(paint("dim", thrown.stack));
  }
  return lines.join("\n");
}
