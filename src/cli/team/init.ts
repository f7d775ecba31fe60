import { copyFileSync, constants, existsSync } from "node:fs";
import { dirname } from "node:path";
import { Command, Option } from "commander";
import { fileTrouble } from "../../rehearsal/file-trouble.ts";
import { errorOf } from "../../wire/errors.ts";
import { print, printJson } from "./print.ts";
import { shippedFile } from "./shipped.ts";

interface InitFlags {
  team: "five-roles" | "pair" | "starter";
  json?: boolean;
}

/** `switchboard init`: writes a team file to begin with. */
export function initCommand(): Command {
  return new Command("init")
    .description("write a commented team file to begin with")
    .argument("[file]", "where to write it", "team.yaml")
    .addOption(
      new Option("--team <team>", "which one: every field explained, the five roles, or a pair")
        .choices(["starter", "five-roles", "pair"])
        .default("starter"),
    )
    .option("--json", "print the outcome as one line of JSON")
    .action((file: string, { team, json = false }: InitFlags) => {
      try {
        // Nobody's file is overwritten.
        copyFileSync(shippedFile(`teams/${team}.yaml`), file, constants.COPYFILE_EXCL);
      } catch (cause) {
        const isLost = !existsSync(dirname(file));
        const why = isLost ? "there is no such directory" : fileTrouble(cause);
        throw errorOf("invalid_params", `${file} cannot be written: ${why}.`, {
          cause,
          hint: isLost
            ? "Make the directory first, or name another file."
            : "Name another file, or remove the one that is there.",
        });
      }
      if (json) printJson({ file });
      else print(`Wrote ${file}. Edit it, then: switchboard up ${file}`);
    });
}
