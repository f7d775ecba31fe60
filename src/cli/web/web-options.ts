import type { Command } from "commander";
import { InvalidArgumentError } from "commander";

/** How a command that starts a team serves the page. */
export interface WebOptions {
  /** False with `--no-web`. */
  readonly web?: boolean;
  readonly port?: number;
  readonly open?: boolean;
}

export const withWebOptions = (command: Command): Command =>
  command
    .option("--no-web", "do not serve the page")
    .option(
      "--port <number>",
      "serve the page on this port (default: that of the last time)",
      portOf,
    )
    .option("--open", "open the page in the browser");

export function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError("A port is a number from 0 to 65535.");
}
