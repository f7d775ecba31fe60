import { copyFileSync, constants } from "node:fs";
import { Command, Option } from "commander";
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
    .action((file: string, { team, json = false }: InitFlags) => {
      try {
        // Nobody's file is overwritten.
        copyFileSync(shippedFile(`teams/${team}.yaml`), file, constants.COPYFILE_EXCL);
      } catch (cause) {
        const why = cause instanceof Error ? cause.message : String(cause);
        throw errorOf("invalid_params", `${file} cannot be written: ${why}`, {
          cause,
          hint: "Name another file, or remove the one that is there.",
        });
      }
      if (json) printJson({ file });
      else print(`Wrote ${file}. Edit it, then: switchboard up ${file}`);
    });
}
