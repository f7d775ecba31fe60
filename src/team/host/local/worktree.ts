import { existsSync, mkdirSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorOf } from "../../../wire/errors.ts";
import type { AgentSpec } from "../../file/team.ts";
import type { Repository } from "./guarded-git.ts";
import { git } from "./guarded-git.ts";

export interface WorkPlace {
  readonly stateDir: string;
  /** The team's name. */
  readonly team: string;
  readonly trusted: boolean;
  /** The team is a simulation: what it makes in the person's repository goes with it. */
  readonly temporary?: boolean;
}

const worktreesIn = (stateDir: string): string => join(stateDir, "worktrees");

/**
 * Returns the directory that an agent works in: its own worktree where the team file asks for one, made at the
 * first start and kept, on a branch `switchboard/TEAM/AGENT`.
 *
 * @throws `team_invalid` when there can be none, or when the directory is not there.
 */
export async function workingDirectory(spec: AgentSpec, place: WorkPlace): Promise<string> {
  if (!existsSync(spec.workdir)) {
    throw errorOf(
      "team_invalid",
      `The working directory of ${spec.id} does not exist: ${spec.workdir}.`,
      {
        hint: "Create the directory, or set another workdir in the team file.",
      },
    );
  }
  if (!spec.worktree) return spec.workdir;
  const { trusted, temporary = false } = place;
  const tree = join(worktreesIn(place.stateDir), spec.id);
  if (existsSync(join(tree, ".git"))) {
    if (!temporary) await leaveDetachedHead({ directory: tree, trusted }, branchOf(place, spec));
    return tree;
  }
  mkdirSync(dirname(tree), { recursive: true, mode: 0o700 });
  const repository = { directory: spec.workdir, trusted };
  const where = temporary
    ? ["--detach", tree]
    : await onBranch(repository, branchOf(place, spec), tree);
  // Forced: git may still know the path from before the state directory was removed.
  const { ok, err } = await git(repository, "worktree", "add", "--force", ...where);
  if (ok) return tree;
  throw await noWorktree(spec, tree, repository, err);
}

const branchOf = ({ team }: WorkPlace, { id }: AgentSpec): string => `switchboard/${team}/${id}`;

/** Goes on with the branch of this name, unless another worktree has it; then with the next free name. */
async function onBranch(repository: Repository, wanted: string, tree: string): Promise<string[]> {
  const { out } = await git(repository, "worktree", "list", "--porcelain");
  const taken = new Set(
    out.split("\n\n").flatMap((entry) => {
      const [, path = ""] = /^worktree (.+)$/m.exec(entry) ?? [];
      const [, branch] = /^branch refs\/heads\/(.+)$/m.exec(entry) ?? [];
      return branch !== undefined && path !== tree && existsSync(path) ? [branch] : [];
    }),
  );
  let branch = wanted;
  for (let next = 2; taken.has(branch); next += 1) branch = `${wanted}-${next}`;
  const known = await git(repository, "rev-parse", "--verify", "--quiet", `refs/heads/${branch}`);
  return known.ok ? [tree, branch] : ["-b", branch, tree];
}

/** Worktrees of earlier versions were on no branch, so that their commits could get lost. */
async function leaveDetachedHead(tree: Repository, branch: string): Promise<void> {
  if ((await git(tree, "symbolic-ref", "--quiet", "HEAD")).ok) return;
  // This fails when there is a branch of this name already, and rightly so: it may hold other work.
  await git(tree, "switch", "--create", branch);
}

async function noWorktree(
  spec: AgentSpec,
  tree: string,
  repository: Repository,
  said: string,
): Promise<Error> {
  const lines = said.trim().split("\n");
  const why = lines.findLast((line) => line.startsWith("fatal:")) ?? lines.at(-1);
  const message = `${spec.id}: no worktree can be made of ${spec.workdir}: ${why}`;
  const hasCommit = (await git(repository, "rev-parse", "--verify", "HEAD")).ok;
  return errorOf("team_invalid", message, {
    hint: hasCommit
      ? `Repair what git reports, or remove 'worktree' from the team file. The worktree would be ${tree}.`
      : "A worktree needs a git repository with at least one commit. Commit first, or remove 'worktree' from the team file.",
  });
}

/** Removes the worktrees of a team that leaves nothing behind, also from the list that git keeps. */
export async function removeWorktrees(stateDir: string): Promise<void> {
  const directory = worktreesIn(stateDir);
  if (!existsSync(directory)) return;
  for (const name of readdirSync(directory)) {
    const tree = join(realpathSync(directory), name);
    await git({ directory: tree, trusted: false }, "worktree", "remove", "--force", tree);
  }
}
