import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { probeSocket } from "../../net/probe-socket.ts";
import { controlSocket } from "./control-socket-path.ts";
import type { ProjectNote } from "./project-of-state-dir.ts";
import {
  isReplaced,
  isSameMark,
  markOf,
  readProjectNote,
  realDirectory,
} from "./project-of-state-dir.ts";

/** A team that has state on this machine. */
export interface KnownTeam {
  readonly name: string;
  readonly stateDir: string;
  /** The project that it belongs to. Of state without a note: where its agents worked at the last start. */
  readonly directories: readonly string[];
  /** Undefined for state that an older version wrote. */
  readonly note: ProjectNote | undefined;
}

/** A team and whether a process of it is there. */
export type ProbedTeam = KnownTeam & { readonly isRunning: boolean };

/**
 * All teams whose state lies in this directory.
 *
 * @param cwd where the person is: a project that was moved there, or above it, is found too.
 */
export function knownTeams(teamsDirectory: string, cwd?: string): KnownTeam[] {
  if (!existsSync(teamsDirectory)) return [];
  return (
    readdirSync(teamsDirectory, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => knownTeam(join(teamsDirectory, name), name, cwd))
      // A start that was refused leaves a directory with nothing in it.
      .filter(({ note, stateDir }) => note ?? existsSync(join(stateDir, "bus.db")))
  );
}

/** The team of one state directory. */
export function knownTeam(stateDir: string, nameOfOlder: string, cwd?: string): KnownTeam {
  const note = readProjectNote(stateDir);
  if (note) return { name: note.team, stateDir, directories: directoriesOf(note, cwd), note };
  const directories = [...new Set(recordedWorkdirs(stateDir).values())];
  // Older versions named the state after the team.
  return { name: nameOfOlder, stateDir, directories, note };
}

/** Where the project of a note is now, if that is known. */
function directoriesOf(note: ProjectNote, cwd: string | undefined): string[] {
  const { directory, directory_mark: mark } = note;
  if (existsSync(directory) && !isReplaced(note)) return [directory];
  const moved = cwd === undefined ? undefined : upFrom(cwd, (at) => isSameMark(mark, markOf(at)));
  if (moved !== undefined) return [moved];
  return isReplaced(note) ? [] : [directory];
}

/** The nearest directory that fits, from this one up to the root. */
function upFrom(directory: string, fits: (directory: string) => boolean): string | undefined {
  for (let at = directory; ; at = dirname(at)) {
    if (fits(at)) return at;
    if (at === dirname(at)) return undefined;
  }
}

export const withProbe = async (team: KnownTeam): Promise<ProbedTeam> => ({
  ...team,
  isRunning: (await probeSocket(controlSocket(team.stateDir))).state === "alive",
});

const WORKS_IN = /^You work in the directory (.+)\.$/m;

/** By agent: the directory that it worked in at the team's last start, as its persona says. */
export function recordedWorkdirs(stateDir: string): Map<string, string> {
  const agents = join(stateDir, "agents");
  const found = new Map<string, string>();
  for (const id of existsSync(agents) ? readdirSync(agents) : []) {
    const directory = WORKS_IN.exec(personaOf(join(agents, id)))?.[1];
    if (directory !== undefined) found.set(id, realDirectory(directory));
  }
  return found;
}

function personaOf(agentRoot: string): string {
  try {
    return readFileSync(join(agentRoot, "persona.md"), "utf8");
  } catch {
    return "";
  }
}
