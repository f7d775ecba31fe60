import { execFileSync } from "node:child_process";
import { existsSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { parseTeam } from "../file/load-team.ts";
import { agentEnvironment } from "./agent-command.ts";
import { placeOfAgent } from "./agent-place.ts";
import { workingDirectory } from "./worktree.ts";

const specIn = (workdir: string, more: string) => {
  const yaml = `{ name: t, lead: a, agents: { a: { description: d, prompt: p, ${more} } } }`;
  const spec = parseTeam(yaml, "t.yaml", workdir).agents.get("a");
  if (!spec) throw new Error("no a");
  return spec;
};

const git = (cwd: string, ...args: string[]): string =>
  execFileSync("git", ["-C", cwd, "-c", "user.name=t", "-c", "user.email=t@t", ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();

test("a worktree of its own, made once and kept; refused with a reason where there can be none", async () => {
  const [work, state] = [tempDir(), tempDir()];
  const spec = specIn(work, "worktree: true");
  await expect(workingDirectory(spec, state)).rejects.toMatchObject({
    code: "team_invalid",
    message: expect.stringMatching(/^a: no worktree can be made of .*not a git repository/),
    hint: expect.stringContaining("at least one commit"),
  });
  git(work, "init", "-q");
  await expect(workingDirectory(spec, state)).rejects.toMatchObject({
    code: "team_invalid",
    message: expect.stringContaining("fatal: "),
    hint: expect.stringContaining("at least one commit"),
  });
  writeFileSync(join(work, "file"), "1");
  git(work, "add", "file");
  git(work, "commit", "-qm", "first");

  const tree = await workingDirectory(spec, state);
  expect(tree).toBe(join(state, "worktrees", "a"));
  expect(existsSync(join(tree, "file"))).toBe(true);
  expect(git(tree, "rev-parse", "--show-toplevel")).toBe(realpathSync(tree));
  writeFileSync(join(tree, "file"), "changed by the agent");
  expect(await workingDirectory(spec, state)).toBe(tree);
  expect(git(work, "status", "--porcelain")).toBe("");
  expect(git(tree, "status", "--porcelain")).toBe("M file");
});

test("a worktree is made anew when the state directory was removed; where git refuses, its words and a fitting hint are told", async () => {
  const [work, state] = [tempDir(), tempDir()];
  git(work, "init", "-q");
  git(work, "commit", "-q", "--allow-empty", "-m", "first");
  const spec = specIn(work, "worktree: true");
  const tree = await workingDirectory(spec, state);
  rmSync(tree, { recursive: true });
  expect(await workingDirectory(spec, state)).toBe(tree);
  expect(existsSync(join(tree, ".git"))).toBe(true);

  rmSync(join(tree, ".git"));
  writeFileSync(join(tree, "somebody's"), "");
  await expect(workingDirectory(spec, state)).rejects.toMatchObject({
    code: "team_invalid",
    message: expect.stringMatching(/fatal: .*already exists/),
    hint: expect.stringContaining(tree),
  });
  expect(existsSync(join(tree, "somebody's"))).toBe(true);
});

test("without one it works where the file says, and a directory that is missing is told", async () => {
  const work = tempDir();
  expect(await workingDirectory(specIn(work, "workdir: ."), tempDir())).toBe(work);
  await expect(
    workingDirectory(specIn(work, "workdir: not-there"), tempDir()),
  ).rejects.toMatchObject({ code: "team_invalid", message: expect.stringContaining("is missing") });
});

test("whose configuration an agent sees", () => {
  const place = placeOfAgent("/state", "a");
  const seen = (isolation: "config" | "home" | "shared") => {
    const { HOME, CLAUDE_CONFIG_DIR } = agentEnvironment({ isolation }, place, {});
    return [HOME, CLAUDE_CONFIG_DIR];
  };
  const { HOME, CLAUDE_CONFIG_DIR } = process.env;
  expect(seen("config")).toEqual([HOME, "/state/agents/a/.claude"]);
  expect(seen("home")).toEqual(["/state/agents/a", undefined]);
  expect(seen("shared")).toEqual([HOME, CLAUDE_CONFIG_DIR]);
});
