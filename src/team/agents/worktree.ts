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
  // Forced: git may still know it from before the state directory was removed.
  const { ok, err } = await git(spec.workdir, "worktree", "add", "--force", "--detach", tree);
  if (ok) return tree;
  const lines = err.trim().split("\n");
  const why = lines.findLast((line) => line.startsWith("fatal:")) ?? lines.at(-1);
  const message = `${spec.id}: no worktree can be made of ${spec.workdir}: ${why}`;
  const hasCommit = (await git(spec.workdir, "rev-parse", "--verify", "HEAD")).ok;
  throw errorOf("team_invalid", message, {
    hint: hasCommit
      ? `Mend what git complains about; its worktree would be ${tree}. Or leave worktree out.`
      : "A worktree needs a git repository with at least one commit. Commit first, or leave worktree out.",
  });
}

const git = (directory: string, ...args: string[]) =>
  runToEnd({
    command: "git",
    args: ["-C", directory, ...args],
    // As the person's own git would run.
    env: process.env,
    timeoutMs: CHECKOUT_MS,
  });
