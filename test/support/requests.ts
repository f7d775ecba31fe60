import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JournalEntry } from "../../src/rehearsal/journal.ts";
import type { Stage } from "./rehearsed.ts";

/** The requests that the model got, without those that the CLI makes on the side. */
export const modelRequests = ({ rehearsal }: Pick<Stage, "rehearsal">): JournalEntry[] =>
  rehearsal.journal.entries.filter(({ kind }) => kind === "main");

/** All that a request tells the model of the conversation. */
export const conversationOf = (entry: JournalEntry | undefined): string =>
  JSON.stringify(entry?.body?.["messages"] ?? []);

/** How often a text stands in what the model was sent last. */
export const copiesInLast = (stage: Pick<Stage, "rehearsal">, text: string): number =>
  conversationOf(modelRequests(stage).at(-1)).split(text).length - 1;

/** A call that leaves a line in a file for each time that it runs. */
export const leaveMark = (name: string, then = "true") => ({
  name: "Bash",
  input: { command: `echo ran >> ${name}; ${then}` },
});

export function timesRun({ cwd }: Pick<Stage, "cwd">, name: string): number {
  const path = join(cwd, name);
  return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n").length : 0;
}
