import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import { parseTeam } from "../../file/load-team.ts";
import { agentEnvironment } from "./agent-arguments-and-environment.ts";
import { pathsOfAgent } from "./agent-paths.ts";
import type { WorkPlace } from "./worktree.ts";
import { removeWorktrees, workingDirectory } from "./worktree.ts";

const specIn = (workdir: string, more: string) => {
  const yaml = `{ name: t, lead: a, agents: { a: { description: d, prompt: p, ${more} } } }`;
  const spec = parseTeam(yaml, "t.yaml", workdir).agents.get("a");
  if (!spec) throw new Error("no a");
  return spec;
};

const at = (stateDir: string): WorkPlace => ({ stateDir, team: "t", trusted: true });

const git = (cwd: string, ...args: string[]): string =>
  execFileSync("git", ["-C", cwd, "-c", "user.name=t", "-c", "user.email=t@t", ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();

test("workingDirectory makes an agent's worktree once and keeps it, or refuses with a reason", async () => {
  const [work, state] = [tempDir(), tempDir()];
  const spec = specIn(work, "worktree: true");
  await expect(workingDirectory(spec, at(state))).rejects.toMatchObject({
    code: "team_invalid",
    message: expect.stringMatching(/^a: no worktree can be made of .*not a git repository/),
    hint: expect.stringContaining("at least one commit"),
  });
  git(work, "init", "-q");
  await expect(workingDirectory(spec, at(state))).rejects.toMatchObject({
    code: "team_invalid",
    message: expect.stringContaining("fatal: "),
    hint: expect.stringContaining("at least one commit"),
  });
  writeFileSync(join(work, "file"), "1");
  git(work, "add", "file");
  git(work, "commit", "-qm", "first");

  const tree = await workingDirectory(spec, at(state));
  expect(tree).toBe(join(state, "worktrees", "a"));
  expect(existsSync(join(tree, "file"))).toBe(true);
  expect(git(tree, "rev-parse", "--show-toplevel")).toBe(realpathSync(tree));
  writeFileSync(join(tree, "file"), "changed by the agent");
  expect(await workingDirectory(spec, at(state))).toBe(tree);
  expect(git(work, "status", "--porcelain")).toBe("");
  expect(git(tree, "status", "--porcelain")).toBe("M file");
});

test("workingDirectory makes a worktree again after its state directory was removed, and quotes git's refusal", async () => {
  const [work, state] = [tempDir(), tempDir()];
  git(work, "init", "-q");
  git(work, "commit", "-q", "--allow-empty", "-m", "first");
  const spec = specIn(work, "worktree: true");
  const tree = await workingDirectory(spec, at(state));
  rmSync(tree, { recursive: true });
  expect(await workingDirectory(spec, at(state))).toBe(tree);
  expect(existsSync(join(tree, ".git"))).toBe(true);

  rmSync(join(tree, ".git"));
  writeFileSync(join(tree, "somebody's"), "");
  await expect(workingDirectory(spec, at(state))).rejects.toMatchObject({
    code: "team_invalid",
    message: expect.stringMatching(/fatal: .*already exists/),
    hint: expect.stringContaining(tree),
  });
  expect(existsSync(join(tree, "somebody's"))).toBe(true);
});

/** A repository with one commit. */
function repository(): string {
  const work = tempDir();
  git(work, "init", "-q");
  writeFileSync(join(work, "file"), "1");
  git(work, "add", "file");
  git(work, "commit", "-qm", "first");
  return work;
}

const branchIn = (tree: string): string => git(tree, "symbolic-ref", "--short", "HEAD");

test("an agent's worktree is on a branch of its own, and goes on with it after the state directory is gone", async () => {
  const [work, state] = [repository(), tempDir()];
  const spec = specIn(work, "worktree: true");
  const tree = await workingDirectory(spec, at(state));
  expect(branchIn(tree)).toBe("switchboard/t/a");
  git(tree, "commit", "-q", "--allow-empty", "-m", "by the agent");
  rmSync(state, { recursive: true });
  const again = await workingDirectory(spec, at(state));
  expect(branchIn(again)).toBe("switchboard/t/a");
  expect(git(again, "log", "-1", "--format=%s")).toBe("by the agent");

  const second = await workingDirectory(spec, at(tempDir()));
  expect(branchIn(second)).toBe("switchboard/t/a-2");
});

test("a worktree of an earlier version, on no branch, gets its branch without losing anything", async () => {
  const [work, state] = [repository(), tempDir()];
  const tree = join(state, "worktrees", "a");
  git(work, "worktree", "add", "--detach", tree);
  git(tree, "commit", "-q", "--allow-empty", "-m", "by the agent");
  writeFileSync(join(tree, "file"), "changed");
  expect(await workingDirectory(specIn(work, "worktree: true"), at(state))).toBe(tree);
  expect(branchIn(tree)).toBe("switchboard/t/a");
  expect(git(tree, "log", "-1", "--format=%s")).toBe("by the agent");
  expect(git(tree, "status", "--porcelain")).toBe("M file");
});

test("a simulation leaves neither a worktree nor a branch in the repository", async () => {
  const [work, state] = [repository(), tempDir()];
  const spec = specIn(work, "worktree: true");
  const tree = await workingDirectory(spec, { ...at(state), temporary: true });
  writeFileSync(join(tree, "file"), "changed");
  await removeWorktrees(state);
  expect(existsSync(tree)).toBe(false);
  expect(git(work, "worktree", "list").split("\n")).toHaveLength(1);
  expect(git(work, "branch", "--list", "switchboard/*")).toBe("");
});

test("making a worktree runs nothing of a repository that is not trusted", async () => {
  for (const trusted of [true, false]) {
    const [work, state] = [repository(), tempDir()];
    const ran = join(work, "ran");
    const script = join(work, ".git/hooks/post-checkout");
    writeFileSync(script, `#!/bin/sh\necho hook $PLANTED_SECRET >> ${ran}\n`, { mode: 0o755 });
    const monitor = join(work, ".git/monitor");
    writeFileSync(monitor, `#!/bin/sh\necho monitor >> ${ran}\n`, { mode: 0o755 });
    git(work, "config", "core.fsmonitor", monitor);
    git(work, "config", "filter.x.smudge", `echo filter >> ${ran}; cat`);
    writeFileSync(join(work, ".git/info/attributes"), "* filter=x\n");
    vi.stubEnv("PLANTED_SECRET", "secret");
    onTestFinished(() => void vi.unstubAllEnvs());
    const tree = await workingDirectory(specIn(work, "worktree: true"), { ...at(state), trusted });
    expect(existsSync(join(tree, "file"))).toBe(true);
    const seen = existsSync(ran) ? readFileSync(ran, "utf8") : "";
    expect(seen).toMatch(trusted ? /hook secret/ : /^$/);
  }
});

test("an agent without a worktree works in its workdir; a workdir that does not exist is an error", async () => {
  const work = tempDir();
  expect(await workingDirectory(specIn(work, "workdir: ."), at(tempDir()))).toBe(work);
  await expect(
    workingDirectory(specIn(work, "workdir: not-there"), at(tempDir())),
  ).rejects.toMatchObject({
    code: "team_invalid",
    message: expect.stringContaining("does not exist"),
  });
});

test("agentEnvironment has the HOME and CLAUDE_CONFIG_DIR of the agent's isolation", () => {
  const place = pathsOfAgent("/state", "a");
  const seen = (isolation: "config" | "home" | "shared") => {
    const { HOME, CLAUDE_CONFIG_DIR } = agentEnvironment({ isolation }, place, {});
    return [HOME, CLAUDE_CONFIG_DIR];
  };
  const { HOME, CLAUDE_CONFIG_DIR } = process.env;
  expect(seen("config")).toEqual([HOME, "/state/agents/a/.claude"]);
  expect(seen("home")).toEqual(["/state/agents/a", undefined]);
  expect(seen("shared")).toEqual([HOME, CLAUDE_CONFIG_DIR]);
});
