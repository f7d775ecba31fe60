import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, relative, resolve } from "node:path";
import { Command, Option } from "commander";
import { stringify } from "yaml";
import { describeFileError } from "../../files/describe-file-error.ts";
import { errorOf } from "../../wire/errors.ts";
import { cleanPainted } from "../attach/clean-text.ts";
import { print, printJson } from "./print-for-people.ts";
import { schemaFile, shippedFile } from "./shipped-files.ts";
import { teamNameOf } from "./team-name-of-directory.ts";
import { teamOfSubagents } from "./team-of-subagents.ts";

interface InitFlags {
  team: "five-roles" | "pair" | "starter";
  fromClaude?: boolean;
  json?: boolean;
}

/** `switchboard init`: writes a team file to begin with. */
export function initCommand(): Command {
  return new Command("init")
    .description("write an example team file, with comments")
    .argument("[file]", "where to write it", "team.yaml")
    .addOption(
      new Option(
        "--team <team>",
        "which example: one that explains every field, five roles, or a pair",
      )
        .choices(["starter", "five-roles", "pair"])
        .default("starter"),
    )
    .addOption(
      new Option(
        "--from-claude",
        "a lead, and your sub-agents of Claude Code (.claude/agents, here and of your user)",
      ).conflicts("team"),
    )
    .option("--json", "print the outcome as one line of JSON")
    .action((file: string, { team, fromClaude = false, json = false }: InitFlags) => {
      const directory = dirname(resolve(file));
      const name = teamNameOf(basename(directory));
      const made = fromClaude ? teamOfSubagents(directory, name) : undefined;
      write(file, `${schemaLine(directory)}\n${made?.text ?? namedAfter(name, textOf(team))}`);
      const { agents, warnings = [] } = made ?? {};
      if (json) return printJson({ file, ...(agents && { agents, warnings }) });
      for (const warning of warnings) process.stderr.write(`${cleanPainted(warning)}\n`);
      const whom = agents ? ` with the agents ${agents.join(", ")}` : "";
      return print(`Wrote ${file}${whom}. Edit it, then: switchboard up ${file}`);
    });
}

function write(file: string, text: string): void {
  try {
    // Never overwrites a file.
    writeFileSync(file, text, { flag: "wx" });
  } catch (cause) {
    const isLost = !existsSync(dirname(file));
    const why = isLost ? "there is no such directory" : describeFileError(cause);
    throw errorOf("invalid_params", `${file} cannot be written: ${why}.`, {
      cause,
      hint: isLost
        ? "Make the directory first, or name another file."
        : existsSync(file)
          ? "Name another file, or remove the one that is there."
          : "Name a file in a directory that you may write to.",
    });
  }
}

const textOf = (team: InitFlags["team"]): string =>
  readFileSync(shippedFile(`teams/${team}.yaml`), "utf8");

/** Editors with YAML support complete and check fields by it. Relative where the project has this package. */
function schemaLine(directory: string): string {
  const [schema, nearby] = [schemaFile("team-file"), relative(directory, schemaFile("team-file"))];
  const path = nearby.startsWith("node_modules") ? `./${nearby}` : schema;
  return `# yaml-language-server: $schema=${path}`;
}

/** The same team file with another name. */
const namedAfter = (name: string, text: string): string =>
  text.replace(/^name: .*$/m, `name: ${stringify(name).trim()}`);
