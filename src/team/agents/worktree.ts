import { execFile } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { errorOf } from "../../wire/errors.ts";
import type { AgentSpec } from "../file/team.ts";

const run = promisify(execFile);

/**
 * The directory that an agent works in: its own worktree where the team file asks for one, made at the
 * first start and kept.
 *
 * @throws `team_invalid` when there can be none, or when the directory is not there.
 */
export async function workingDirectory(spec: AgentSpec, stateDir: string): Promise<string> {
  if (!existsSync(spec.workdir)) {
    throw errorOf("team_invalid", `${spec.id}: its working directory ${spec.workdir} is missing.`, {
      hint: "Make the directory, or name another one as workdir.",
    });
  }
  if (!spec.worktree) return spec.workdir;
  const tree = join(stateDir, "worktrees", spec.id);
  if (existsSync(join(tree, ".git"))) return tree;
  mkdirSync(dirname(tree), { recursive: true, mode: 0o700 });
  try {
    await run("git", ["-C", spec.workdir, "worktree", "add", "--detach", tree]);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.trim().split("\n").at(-1) : String(cause);
    throw errorOf(
      "team_invalid",
      `${spec.id}: no worktree can be made of ${spec.workdir}: ${why}`,
      {
        cause,
        hint: "A worktree needs a git repository with at least one commit. Commit first, or leave worktree out.",
      },
    );
  }
  return tree;
}
