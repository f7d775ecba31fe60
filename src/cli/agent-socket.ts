import { Command } from "commander";
import { version } from "./version.ts";

const description =
  "One Claude session in one process, driven by any program in any language over a Unix socket with JSON Lines.";

const notYet = `agent-socket: version ${version} has no session layer yet; this command arrives with it.`;

/** sysexits' EX_UNAVAILABLE: scripts can tell "not there yet" from a session that failed. */
const unavailable = 69;

const program = new Command("agent-socket")
  .description(description)
  .version(version)
  .allowUnknownOption()
  .allowExcessArguments()
  .addHelpText(
    "after",
    `\nNot in this version yet: every call but --help and --version ends with exit code ${unavailable}.`,
  )
  .action(() => program.error(notYet, { exitCode: unavailable }));

program.parse();
