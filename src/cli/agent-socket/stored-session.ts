import { Command } from "commander";
import { stateDirOption } from "./flag-values.ts";

/** The flags of commands that change a session which does not run. */
export interface StoredFlags {
  readonly rehearsal?: boolean;
  readonly stateDir?: string;
  readonly json?: boolean;
}

/** A command about one stored session. */
export const storedSessionCommand = (name: string): Command =>
  new Command(name)
    .argument("<session>", "the id of the session or of its log; its first letters are enough")
    .option("--rehearsal", "look only among the sessions of rehearsals")
    .addOption(stateDirOption())
    .option("--json", "print what was done as one line of JSON");

/** Prints what was done. */
export function report(done: object, words: string, { json }: StoredFlags): void {
  process.stdout.write(`${json ? JSON.stringify(done) : words}\n`);
}
