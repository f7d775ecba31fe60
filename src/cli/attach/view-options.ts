import type { Command } from "commander";
import { InvalidArgumentError } from "commander";

/** How a session is viewed, as a person says on the command line. */
export interface ViewFlags {
  readonly name?: string;
  readonly history?: number;
  readonly wait: boolean;
  readonly follow: boolean;
  readonly json: boolean;
}

/** The options that every `attach` has. */
export const addViewOptions = (command: Command): Command =>
  command
    .option("--name <name>", "your name in the records of who decided (default: your login name)")
    .option(
      "--history <n>",
      "show the last N messages first, 0 for all (default: 10; without a terminal none, or all of a session that does not run)",
      count,
    )
    .option("--wait", "without a terminal: leave when all messages are answered", false)
    .option("--follow", "without a terminal: stay until the session ends", false)
    .option("--json", "print every event as one line of JSON; errors go to stderr", false);

function count(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("Expected a number of messages.");
  return Number(text) || Number.POSITIVE_INFINITY;
}
