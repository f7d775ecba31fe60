import { statSync } from "node:fs";
import { runToEnd } from "../../proc/run-to-end.ts";
import { fileTrouble } from "../../rehearsal/file-trouble.ts";
import type { ScriptIssue } from "../../rehearsal/script-issues.ts";
import type { AgentSpec, Team } from "./team.ts";

const GIT_MS = 10_000;

/** Agents that could not work where the file wants them to. */
export async function workdirIssues(
  { agents }: Team,
  issueAt: (path: readonly string[], message: string) => ScriptIssue,
): Promise<ScriptIssue[]> {
  const issues: ScriptIssue[] = [];
  for (const spec of agents.values()) {
    const trouble = troubleWith(spec.workdir);
    if (trouble !== undefined) {
      issues.push(issueAt(["agents", spec.id, "workdir"], `${spec.workdir}: ${trouble}`));
    } else if (spec.worktree && !(await isInGit(spec))) {
      const message = `${spec.workdir} is in no git repository, so that no worktree can be made of it. Leave worktree out, or make a repository with at least one commit.`;
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
    if (code !== "ENOENT") return `${fileTrouble(error)}.`;
    return "there is no such directory. A relative path begins where you start the team.";
  }
}

const isInGit = async ({ workdir }: AgentSpec): Promise<boolean> => {
  const args = ["-C", workdir, "rev-parse", "--git-dir"];
  // As the person's own git would run.
  return (await runToEnd({ command: "git", args, env: process.env, timeoutMs: GIT_MS })).ok;
};
