import type { Command } from "commander";
import { CommanderError } from "commander";
import { errorTable } from "../wire/error-table.ts";
import type { ClaudeCodeError } from "../wire/errors.ts";
import { errorOf } from "../wire/errors.ts";
import { didYouMean } from "../yaml/did-you-mean.ts";
import { fail } from "./print-failure.ts";
import { interruptForReader } from "./listen-for-interruption.ts";

/**
 * Parses the arguments and runs their command. Every failure is printed in one form, and the process ends with the
 * exit code of the error table when the command's work is done.
 */
export async function run(program: Command, argv: readonly string[]): Promise<void> {
  const json = argv.includes("--json");
  process.stdout.on("error", endWithReader);
  // The reader is gone, so there is no error to report.
  process.stderr.on("error", () => {});
  program
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ outputError: () => {} });
  prepare(program);
  try {
    checkHelpOf(program, argv);
    await program.parseAsync(argv);
  } catch (thrown) {
    process.exitCode = isHelp(thrown)
      ? thrown.exitCode && errorTable.invalid_params.exit
      : fail(inOurTerms(thrown, program, argv), { json, stream: process.stderr });
  }
}

/** For a command that serves others than the reader of its stdout. */
export function outliveReader(): void {
  process.stdout.off("error", endWithReader);
  process.stdout.on("error", () => {});
}

let isEnding = false;

/**
 * `switchboard log | head` ends when head has enough, like other commands; so does a command whose terminal was
 * closed. Later writes fail in the same way and are ignored.
 */
function endWithReader(error: NodeJS.ErrnoException): void {
  if (isEnding) return;
  isEnding = true;
  const isGone = error.code === "EPIPE" || (error.code === "EIO" && process.stdout.isTTY);
  if (!isGone)
    process.exitCode = fail(inTermsOfOutput(error), { json: false, stream: process.stderr });
  // A command that has something to put in order does so. The system would end other programs with this signal.
  if (interruptForReader()) return;
  if (process.listenerCount("SIGTERM") > 0) process.kill(process.pid, "SIGTERM");
  else process.exit();
}

function inTermsOfOutput(cause: NodeJS.ErrnoException): unknown {
  if (!["ENOSPC", "EDQUOT", "EFBIG"].includes(cause.code ?? "")) return cause;
  return errorOf("disk_full", "The output could not be written: there is no space left for it.", {
    cause,
    hint: "Free some space where the output goes, or write it elsewhere.",
  });
}

/** Commander prints the whole help for a command that does not exist, and no word of the mistake. */
function checkHelpOf(program: Command, [, , first, name]: readonly string[]): void {
  if (first !== "help" || name === undefined || name.startsWith("-")) return;
  const names = program.commands.map((command) => command.name());
  if (names.includes(name) || name === "help") return;
  throw unknownCommand(program, name);
}

function unknownCommand(program: Command, name: string): ClaudeCodeError {
  const meant = didYouMean(
    name,
    program.commands.map((command) => command.name()),
  );
  const advice = meant === undefined ? "" : ` (Did you mean ${meant}?)`;
  return errorOf("invalid_params", `unknown command '${name}'${advice}`, {
    hint: `See '${program.name()} --help'.`,
  });
}

/** Settings reach the commands of a command only when they are handed down. */
function prepare(command: Command): void {
  offerJson(command);
  for (const inner of command.commands) prepare(inner.copyInheritedSettings(command));
}

/** Every command takes `--json`, even one that prints only errors. */
function offerJson(command: Command): void {
  if (command.options.some(({ long }) => long === "--json")) return;
  command.option("--json", "print an error as one JSON object on stderr, for programs");
}

/** Help and version have been printed when they are thrown; a bare call prints help and has failed. */
function isHelp(thrown: unknown): thrown is CommanderError {
  return (
    thrown instanceof CommanderError && (thrown.exitCode === 0 || thrown.code === "commander.help")
  );
}

function inOurTerms(thrown: unknown, program: Command, argv: readonly string[]): unknown {
  if (!(thrown instanceof CommanderError)) return thrown;
  const command = program.commands.find((each) => each.name() === argv[2]);
  // A program that also works without a command reads a wrong command as a surplus argument.
  const isCommand = thrown.code === "commander.excessArguments" && command === undefined;
  if (isCommand) return unknownCommand(program, program.args[0] ?? "");
  const message = thrown.message.replace(/^error: /, "");
  const help = [program.name(), ...(command ? [command.name()] : []), "--help"].join(" ");
  return errorOf("invalid_params", message, { hint: `See '${help}'.` });
}
