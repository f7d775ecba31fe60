import { existsSync, readFileSync, readdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { describeFileError } from "../../files/describe-file-error.ts";
import { utf8Issue } from "../../yaml/utf8-issue.ts";
import type { ClaudeConfig } from "../claude-config.ts";
import type { ReadSubagent } from "./read-subagent.ts";
import { readSubagent } from "./read-subagent.ts";

/** A file of a sub-agent, good or not. */
export interface FoundSubagent {
  readonly path: string;
  readonly read: ReadSubagent;
}

/** Where Claude Code, working in that directory, finds sub-agents: the project wins over the user. */
export const subagentFolders = (directory: string, config: UserDirectory): string[] =>
  unique([...projectFolders(directory, "agents"), join(config.directory, "agents")]);

/** Where it finds skills: here the user wins over the project. */
export const skillFolders = (directory: string, config: UserDirectory): string[] =>
  unique([join(config.directory, "skills"), ...projectFolders(directory, "skills")]);

type UserDirectory = Pick<ClaudeConfig, "directory">;

const unique = (paths: readonly string[]): string[] => [...new Set(paths)];

/** Those of the directory and of the ones above it in its repository, the nearest first. */
function projectFolders(directory: string, kind: "agents" | "skills"): string[] {
  const start = resolve(directory);
  const folders: string[] = [];
  for (let at = start; ; at = dirname(at)) {
    folders.push(join(at, ".claude", kind));
    if (existsSync(join(at, ".git"))) return folders;
    if (dirname(at) === at) return [join(start, ".claude", kind)];
  }
}

/** All of them in the order of the folders. A name may be there more than once: the first one wins. */
export const findSubagents = (folders: readonly string[]): FoundSubagent[] =>
  folders.flatMap((folder) => markdownIn(folder).map((path) => ({ path, read: readFile(path) })));

/** The one of that name. A broken file counts by its name, or by that of the file. */
export function subagentNamed(
  name: string,
  found: readonly FoundSubagent[],
): FoundSubagent | undefined {
  return found.find(({ path, read }) => nameOf(path, read) === name);
}

/** Under which a sub-agent is known. */
export const nameOf = (path: string, read: ReadSubagent): string =>
  (read.ok ? read.subagent.name : read.name) ?? basename(path, ".md");

function markdownIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory() && entry.name.endsWith(".md"))
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted();
  } catch {
    // No such folder, or none that may be read: Claude Code has nothing there either.
    return [];
  }
}

function readFile(path: string): ReadSubagent {
  try {
    const bytes = readFileSync(path);
    const issue = utf8Issue(bytes);
    if (issue) return { ok: false, name: undefined, issues: [issue] };
    return readSubagent(bytes.toString("utf8"));
  } catch (error) {
    const message = `${describeFileError(error)}.`;
    return { ok: false, name: undefined, issues: [{ position: undefined, path: "", message }] };
  }
}
