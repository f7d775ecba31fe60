import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { runToEnd } from "../../proc/run-to-end.ts";
import { errorOf } from "../../wire/errors.ts";
import type { AgentSpec } from "../file/team.ts";

/** A large repository takes its time. */
const CHECKOUT_MS = 600_000;

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
  const { ok, err } = await runToEnd({
    command: "git",
    args: ["-C", spec.workdir, "worktree", "add", "--detach", tree],
    // As the person's own git would run.
    env: process.env,
    timeoutMs: CHECKOUT_MS,
  });
  if (!ok) {
    const why = err.trim().split("\n").at(-1);
    throw errorOf(
      "team_invalid",
      `${spec.id}: no worktree can be made of ${spec.workdir}: ${why}`,
      {
        hint: "A worktree needs a git repository with at least one commit. Commit first, or leave worktree out.",
      },
    );
  }
  return tree;
}
