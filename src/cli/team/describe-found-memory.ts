import { existsSync } from "node:fs";
import type { KnownTeam, StateChoice } from "../../team/find-and-connect.ts";

/**
 * What a person should know about the memory that a team is about to continue, and about that of teams with the same
 * name.
 */
export function memoryLines({ stateDir, memory }: StateChoice, team: string): string[] {
  if (memory.kind === "new") return memory.namesakes.map((other) => otherLine(other, team));
  if (memory.kind === "moved") {
    return [`This directory was ${memory.from} before. The team ${team} keeps its memory.`];
  }
  if (memory.kind === "own") return [];
  return [
    `An older version kept the memory of ${team} by its name alone, in ${stateDir}. ` +
      "Its agents worked here, so it belongs to this directory from now on.",
  ];
}

function otherLine({ stateDir, directories, note }: KnownTeam, team: string): string {
  const [directory] = directories;
  const before = note ? `a directory that was at ${note.directory} before` : "an unknown directory";
  const whose = directory === undefined ? before : directories.join(", ");
  if (note && directory !== undefined && existsSync(directory)) {
    return `Another team named ${team} belongs to ${whose}. It keeps its own memory.`;
  }
  const why = note && directory !== undefined ? ", which is no longer there" : "";
  return (
    `Another team named ${team} worked in ${whose}${why}. Its memory is not touched. ` +
    `To continue it here: switchboard up TEAM.yaml --adopt --state-dir ${stateDir}`
  );
}
