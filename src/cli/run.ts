import type { Command } from "commander";
import { CommanderError } from "commander";
import { errorTable } from "../wire/error-table.ts";
import { errorOf } from "../wire/errors.ts";
import { fail } from "./fail.ts";

/**
 * Parses the arguments and runs the command they name. Every failure is printed in one form, and the
 * process ends with the exit code of the error table when the command's work is done.
 */
export async function run(program: Command, argv: readonly string[]): Promise<void> {
  const json = argv.includes("--json");
  process.stdout.on("error", endWithReader);
  // Whoever would have read it is gone, and is told of no error.
  process.stderr.on("error", () => {});
  program
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ outputError: () => {} });
  for (const command of [program, ...program.commands]) offerJson(command);
  for (const command of program.commands) command.copyInheritedSettings(program);
  try {
    await program.parseAsync(argv);
  } catch (thrown) {
    process.exitCode = isHelp(thrown)
      ? thrown.exitCode && errorTable.invalid_params.exit
      : fail(inOurTerms(thrown, program, argv), { json, stream: process.stderr });
  }
}

/** For a command that is there for others than the reader of its stdout. */
export function outliveReader(): void {
  process.stdout.off("error", endWithReader);
  process.stdout.on("error", () => {});
}

let isEnding = false;

/**
 * `switchboard log | head` ends when head has seen enough, as other commands do; and so does one whose terminal was closed.
 * All that is written until the end fails in the same way: it was acted upon.
 */
function endWithReader(error: NodeJS.ErrnoException): void {
  if (isEnding) return;
  isEnding = true;
  const isGone = error.code === "EPIPE" || (error.code === "EIO" && process.stdout.isTTY);
  if (!isGone) process.exitCode = fail(error, { json: false, stream: process.stderr });
  // One that has something to put in order does so.
  if (process.listenerCount("SIGTERM") > 0) process.kill(process.pid, "SIGTERM");
  else process.exit();
}

/** Every command takes `--json`, also one that prints nothing but an error in JSON. */
function offerJson(command: Command): void {
  if (command.options.some(({ long }) => long === "--json")) return;
  command.option("--json", "print an error as one JSON object on stderr, for programs");
}

/** Help and version have been printed by the time they are thrown; a bare call gets help, and has failed. */
function isHelp(thrown: unknown): thrown is CommanderError {
  return (
    thrown instanceof CommanderError && (thrown.exitCode === 0 || thrown.code === "commander.help")
  );
}

function inOurTerms(thrown: unknown, program: Command, argv: readonly string[]): unknown {
  if (!(thrown instanceof CommanderError)) return thrown;
  const command = program.commands.find((each) => each.name() === argv[2]);
  // A program that also works without a command takes a wrong one for an argument too many.
  const isCommand = thrown.code === "commander.excessArguments" && command === undefined;
  const message = isCommand
    ? `unknown command '${program.args[0] ?? ""}'`
    : thrown.message.replace(/^error: /, "");
  const help = [program.name(), ...(command ? [command.name()] : []), "--help"].join(" ");
  return errorOf("invalid_params", message, { hint: `See '${help}'.` });
}
