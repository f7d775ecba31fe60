import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Team } from "../file/team.ts";
import type { KnownTeam } from "./known-teams.ts";
import { knownTeams, recordedWorkdirs } from "./known-teams.ts";
import {
  isReplaced,
  isSameMark,
  markOf,
  readProjectNote,
  realDirectory,
} from "./project-of-state-dir.ts";

/** Where a team that is about to start keeps its state, and whose memory is there. */
export interface StateChoice {
  readonly stateDir: string;
  readonly memory:
    /** Nothing yet. Teams of the same name belong to other projects. */
    | { readonly kind: "new"; readonly namesakes: readonly KnownTeam[] }
    | { readonly kind: "own" }
    /** An older version has kept it by the team's name alone; its agents worked in this project. */
    | { readonly kind: "older" }
    /** The project was in another place before. */
    | { readonly kind: "moved"; readonly from: string };
}

/** A team is its name in its project: one of the same name in another project has state of its own. */
export function stateFor(teamsDirectory: string, team: Team, directory: string): StateChoice {
  const namesakes = knownTeams(teamsDirectory).filter(({ name }) => name === team.name);
  const own = namesakes.find(({ note }) => note?.directory === directory && !isReplaced(note));
  if (own) return { stateDir: own.stateDir, memory: { kind: "own" } };
  const moved = namesakes.find((each) => wasMovedTo(directory, each));
  if (moved) {
    const from = moved.note?.directory ?? "";
    return { stateDir: moved.stateDir, memory: { kind: "moved", from } };
  }
  const older = namesakes.find(({ note, stateDir }) => !note && workedHere(stateDir, team));
  if (older) return { stateDir: older.stateDir, memory: { kind: "older" } };
  const stateDir = newPlace(teamsDirectory, team.name, directory);
  return { stateDir, memory: { kind: "new", namesakes } };
}

/** The project is no longer in the directory of its note, and this one is the same under another name. */
const wasMovedTo = (directory: string, { note }: KnownTeam): boolean =>
  note !== undefined &&
  (!existsSync(note.directory) || isReplaced(note)) &&
  isSameMark(note.directory_mark, markOf(directory));

/** Whether one of the team's agents worked where this team wants it to work. */
export function workedHere(stateDir: string, { agents }: Team): boolean {
  const recorded = recordedWorkdirs(stateDir);
  return [...agents.values()].some(
    ({ id, workdir }) => recorded.get(id) === realDirectory(workdir),
  );
}

const SHORT_CHARS = 12;

/** Short, because the path of a socket is: the system allows about a hundred bytes. */
function newPlace(teamsDirectory: string, name: string, directory: string): string {
  for (let attempt = 0; ; attempt += 1) {
    const key = attempt === 0 ? directory : `${directory}\0${attempt}`;
    const hash = createHash("sha256").update(key).digest("hex").slice(0, SHORT_CHARS);
    const stateDir = join(teamsDirectory, `${name}-${hash}`);
    // One without a note is left by a start that failed.
    if (!readProjectNote(stateDir)) return stateDir;
  }
}
