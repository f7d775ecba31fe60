import { existsSync } from "node:fs";
import { probeSocket } from "../../net/probe-socket.ts";
import { errorOf } from "../../wire/errors.ts";
import type { Team } from "../file/team.ts";
import { controlSocket } from "./control-socket-path.ts";
import { recordedWorkdirs } from "./known-teams.ts";
import type { Project, ProjectNote } from "./project-of-state-dir.ts";
import {
  isReplaced,
  isSameMark,
  markOf,
  readProjectNote,
  realDirectory,
} from "./project-of-state-dir.ts";
import { workedHere } from "./choose-state-dir.ts";

/** What a start finds in a state directory. */
export interface FoundState {
  /** The project that the team was started in the last time. */
  readonly lastDirectory?: string;
  /** The state directory that this one is a copy of. */
  readonly copyOf?: string;
}

/**
 * Looks whether a team that is started in this project may go on with the memory in a state directory.
 *
 * @param adopt it may, whichever project the memory belongs to.
 * @throws `other_project` when it belongs to another directory; `team_running` when it is a copy, and the
 * team of the original is running.
 */
export async function claimState(
  stateDir: string,
  team: Team,
  project: Project,
  adopt: boolean,
): Promise<FoundState> {
  const note = readProjectNote(stateDir);
  const original = note && originalOf(stateDir, note);
  if (original !== undefined) await mustBeStopped(original, stateDir);
  const owner = note ? note.directory : olderOwner(stateDir, team);
  const isOwn = note ? isProjectOf(note, project.directory) : owner === project.directory;
  const isForeign = owner !== undefined && !isOwn && existsSync(owner);
  if (isForeign && !adopt) throw otherProject(stateDir, team.name, owner);
  return {
    ...(owner !== undefined && { lastDirectory: owner }),
    ...(original !== undefined && { copyOf: original }),
  };
}

/** The directory is the one of the note, under the same path or under another one. */
const isProjectOf = (note: ProjectNote, directory: string): boolean =>
  (note.directory === directory && !isReplaced(note)) ||
  isSameMark(note.directory_mark, markOf(directory));

/** The note of a copy speaks of the place of its original. Undefined when the state was moved, and is no copy. */
function originalOf(stateDir: string, { state_dir: place }: ProjectNote): string | undefined {
  const isCopy = place !== realDirectory(stateDir) && readProjectNote(place)?.state_dir === place;
  return isCopy ? place : undefined;
}

async function mustBeStopped(original: string, copy: string): Promise<void> {
  if ((await probeSocket(controlSocket(original))).state !== "alive") return;
  throw errorOf("team_running", `${copy} is a copy of ${original}, whose team is running.`, {
    data: { state_dir: copy, original },
    hint: "Both teams would continue the same conversations. Stop that team first, or use an empty --state-dir.",
  });
}

/** Undefined when the agents of an older version worked in this project, or nobody knows where they did. */
function olderOwner(stateDir: string, team: Team): string | undefined {
  return workedHere(stateDir, team) ? undefined : [...recordedWorkdirs(stateDir).values()][0];
}

const otherProject = (stateDir: string, team: string, owner: string) =>
  errorOf("other_project", `${stateDir} holds the memory of the team ${team} of ${owner}.`, {
    data: { state_dir: stateDir, directory: owner },
  });
