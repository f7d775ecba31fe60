import { readFileSync, realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { replaceFile } from "../../files/replace-file.ts";
import { hasTexts, isRecord } from "../../wire/json.ts";

// Which project a team's state belongs to. A project is the directory that the team was started in.

/** What stays of a directory when it is renamed. The device is left out: it may change when the machine starts. */
export interface DirectoryMark {
  inode: number;
  born_ms: number;
}

export interface ProjectNote {
  team: string;
  directory: string;
  directory_mark?: DirectoryMark | undefined;
  /** The team file of the last start. */
  file?: string | undefined;
  /** The script that played the model at the last start; absent when the real model answered. */
  rehearsal?: string | undefined;
  /** Where the state was when this was written. A copy still names the path of its original. */
  state_dir: string;
}

function isProjectNote(value: unknown): value is ProjectNote {
  if (!isRecord(value)) return false;
  const { directory_mark: mark } = value;
  return (
    hasTexts(value, ["team", "directory", "state_dir"], ["file", "rehearsal"]) &&
    (mark === undefined || isMark(mark))
  );
}

const isMark = (value: unknown): value is DirectoryMark =>
  isRecord(value) && Number.isFinite(value["inode"]) && Number.isFinite(value["born_ms"]);

/** What a start knows of the project that it is made in. */
export interface Project {
  /** The directory that the team is started in. Absolute, without links. */
  readonly directory: string;
  /** The team file. Absolute. */
  readonly file: string;
  /** The script that plays the model. Absolute. */
  readonly rehearsal?: string;
}

const NOTE = "project.json";

/** Undefined when there is none: an older version has written the state, or nobody yet. */
export function readProjectNote(stateDir: string): ProjectNote | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(join(stateDir, NOTE), "utf8"));
    return isProjectNote(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** From now on the state belongs to this project. */
export function writeProjectNote(stateDir: string, team: string, project: Project): void {
  const mark = markOf(project.directory);
  const note: ProjectNote = {
    team,
    directory: project.directory,
    ...(mark && { directory_mark: mark }),
    file: project.file,
    ...(project.rehearsal !== undefined && { rehearsal: project.rehearsal }),
    state_dir: realDirectory(stateDir),
  };
  const draft = join(stateDir, `${NOTE}.${process.pid}.new`);
  replaceFile(join(stateDir, NOTE), `${JSON.stringify(note, null, 2)}\n`, {
    durable: false,
    draft,
  });
}

/** Undefined when there is no such directory. */
export function markOf(directory: string): DirectoryMark | undefined {
  const found = statSync(directory, { throwIfNoEntry: false });
  if (!found?.isDirectory()) return undefined;
  return { inode: found.ino, born_ms: found.birthtimeMs };
}

export const isSameMark = (one: DirectoryMark | undefined, other: DirectoryMark | undefined) =>
  one !== undefined &&
  other !== undefined &&
  one.inode === other.inode &&
  one.born_ms === other.born_ms;

/**
 * Whether another directory is now where this note's project was: the project was moved away or removed. Only its
 * birth tells: some file systems change inodes. Where none is known, the directory counts as the same.
 */
export function isReplaced({ directory, directory_mark: mark }: ProjectNote): boolean {
  const now = markOf(directory);
  return mark !== undefined && now !== undefined && mark.born_ms !== now.born_ms;
}

/** The path without links; as it is where nothing is. */
export function realDirectory(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
