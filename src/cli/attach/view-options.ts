import type { Command } from "commander";
import { InvalidArgumentError } from "commander";

/** How a session is viewed, as a person says on the command line. */
export interface ViewFlags {
  readonly name?: string;
  readonly history?: number;
  readonly wait?: true;
  readonly follow?: true;
  readonly json?: true;
}

/** The options that every `attach` has. */
export const addViewOptions = (command: Command): Command =>
  command
    .option(
      "--name <name>",
      "the name under which your decisions are recorded (default: your login name)",
    )
    .option(
      "--history <n>",
      "show the last N messages first, 0 for all (default: 10; without a terminal none, but all if the session does not run)",
      count,
    )
    .option("--wait", "without a terminal: leave when all messages are answered")
    .option("--follow", "without a terminal: stay until the session ends")
    .option("--json", "print every event as one line of JSON; errors go to stderr");

function count(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("Expected a number of messages.");
  return Number(text) || Number.POSITIVE_INFINITY;
}
