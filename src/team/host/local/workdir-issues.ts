import { statSync } from "node:fs";
import { describeFileError } from "../../../files/describe-file-error.ts";
import type { FileIssue } from "../../../yaml/file-issue.ts";
import type { AgentSpec, Team } from "../../file/team.ts";
import { git } from "./guarded-git.ts";

/** Agents that could not work where the file wants them to. */
export async function workdirIssues(
  { agents }: Team,
  issueAt: (path: readonly string[], message: string) => FileIssue,
): Promise<FileIssue[]> {
  const issues: FileIssue[] = [];
  for (const spec of agents.values()) {
    // The directory is on another machine, which checks it.
    if (spec.placement) continue;
    const trouble = troubleWith(spec.workdir);
    if (trouble !== undefined) {
      issues.push(issueAt(["agents", spec.id, "workdir"], `${spec.workdir}: ${trouble}`));
    } else if (spec.worktree && !(await isInGit(spec))) {
      const message = `${spec.workdir} is not in a git repository, so it cannot have a worktree. Leave worktree out, or make a repository with at least one commit.`;
      issues.push(issueAt(["agents", spec.id, "worktree"], message));
    }
  }
  return issues;
}

function troubleWith(directory: string): string | undefined {
  try {
    return statSync(directory).isDirectory() ? undefined : "it is a file, not a directory.";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT") return `${describeFileError(error)}.`;
    return "there is no such directory. A relative path begins where you start the team.";
  }
}

const isInGit = async ({ workdir }: AgentSpec): Promise<boolean> =>
  (await git({ directory: workdir, trusted: false }, "rev-parse", "--git-dir")).ok;
