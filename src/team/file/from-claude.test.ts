import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { describeTeam } from "./describe-team-file.ts";
import { parseTeam } from "./load-team.ts";
import { teamOfSource } from "./team-of-source.ts";

let project = "";
let user = "";

beforeEach(() => {
  const root = tempDir();
  [project, user] = [join(root, "project"), join(root, "user")];
  mkdirSync(join(project, ".git"), { recursive: true });
  vi.stubEnv("CLAUDE_CONFIG_DIR", user);
});

function put(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const subagent = (name: string, fields = "", prompt = `You are ${name}.`): string =>
  `---\nname: ${name}\ndescription: does ${name}\n${fields}---\n${prompt}\n`;

const inProject = (file: string, text: string) => put(join(project, ".claude/agents", file), text);
const ofUser = (file: string, text: string) => put(join(user, "agents", file), text);

const parsed = (agents: string) =>
  parseTeam(`name: t\nlead: a\nagents:\n${agents}`, join(project, "t.yaml"), project);

const agentA = (fields: string) => {
  const team = parsed(`  a: ${fields}`);
  return { team, a: team.agents.get("a") };
};

test("`from` gives an agent the description, prompt, model and tools of a sub-agent", () => {
  inProject(
    "deep/reviewer.md",
    subagent(
      "reviewer",
      "tools: Read, Bash(git *), mcp__x__y\ndisallowedTools: WebFetch\nmodel: opus\n",
    ),
  );
  const { team, a } = agentA("{ from: claude/reviewer }");
  expect(a).toMatchObject({
    description: "does reviewer",
    prompt: "You are reviewer.",
    model: "opus",
    onlyTools: ["Read", "Bash"],
    allowedTools: [],
    deniedTools: ["WebFetch"],
    permissionMode: "default",
  });
  expect(team.warnings).toEqual([]);
  expect(describeTeam(team).agents[0]?.tools.only).toEqual(["Read", "Bash"]);
  // Another machine needs no such file.
  expect(teamOfSource(structuredClone(team.source), "/there").agents.get("a")).toMatchObject({
    prompt: "You are reviewer.",
    onlyTools: ["Read", "Bash"],
  });
});

test("the fields of the team file win over those of the sub-agent, and each list of tools by itself", () => {
  inProject("r.md", subagent("r", "tools: Read, Grep\ndisallowedTools: WebFetch\nmodel: opus\n"));
  put(join(project, "p.md"), "Mine.");
  const own = "{ from: claude/r, description: mine, prompt_file: p.md, model: haiku";
  expect(agentA(`${own}, tools: { only: [Edit] } }`).a).toMatchObject({
    description: "mine",
    prompt: "Mine.",
    model: "haiku",
    onlyTools: ["Edit"],
    deniedTools: ["WebFetch"],
  });
  put(join(project, "f.ts"), "");
  expect(agentA("{ from: claude/r, tools: [f.ts] }").a).toMatchObject({
    onlyTools: ["Read", "Grep"],
    toolFiles: [{ server: "f" }],
  });
});

test("a sub-agent of the project wins over the user's one of that name, and the nearest directory over those above", () => {
  ofUser("x.md", subagent("x", "", "user"));
  ofUser("y.md", subagent("y", "", "user"));
  inProject("other.md", subagent("x", "", "project"));
  put(join(project, "part/.claude/agents/x.md"), subagent("x", "", "part"));
  inProject("z.md", subagent("z", "", "project's z"));
  const team = parsed(
    "  a: { from: claude/x }\n  b: { from: claude/y }\n  c: { from: claude/x, workdir: part }\n  d: { from: claude/y, workdir: part }\n  e: { from: claude/z, workdir: part }",
  );
  expect([...team.agents.values()].map(({ prompt }) => prompt)).toEqual([
    "project",
    "user",
    "part",
    "user",
    "project's z",
  ]);
});

test("a directory that is in no repository has its own sub-agents and the user's, and none from above", () => {
  rmSync(join(project, ".git"), { recursive: true });
  inProject("x.md", subagent("x"));
  mkdirSync(join(project, "part"));
  expect(agentA("{ from: claude/x }").a?.prompt).toBe("You are x.");
  expect(() => agentA("{ from: claude/x, workdir: part }")).toThrow("There is no sub-agent x in");
});

test("skills of a sub-agent are part of the prompt, the user's before the project's; a missing one is a warning", () => {
  const path = inProject("r.md", subagent("r", "skills: style, safety, none\n"));
  put(join(project, ".claude/skills/style/SKILL.md"), "---\nname: style\n---\nproject style");
  put(join(user, "skills/style/SKILL.md"), "---\nname: style\n---\nuser style");
  put(join(project, ".claude/skills/safety/SKILL.md"), "be safe");
  const { team, a } = agentA("{ from: claude/r }");
  expect(a?.prompt).toMatch(
    /^You are r\.\n\n# Skill: style\n\n.*\/user\/skills\/style\n\nuser style/,
  );
  expect(a?.prompt).toContain("be safe");
  expect(team.warnings).toEqual([
    expect.stringContaining(`${path}:4:1: skills: There is no skill none in`),
  ]);
});

test("a sub-agent's permission mode that asks less is not taken over, and one that asks more is", () => {
  const path = inProject("r.md", subagent("r", "permissionMode: bypassPermissions\n"));
  inProject("p.md", subagent("p", "permissionMode: plan\n"));
  const { team, a } = agentA("{ from: claude/r }");
  expect(a?.permissionMode).toBe("default");
  expect(team.warnings).toEqual([
    expect.stringContaining(`${path}:4:1: permissionMode: r would ask less`),
  ]);
  expect(agentA("{ from: claude/p }").a?.permissionMode).toBe("plan");
  const asked = agentA("{ from: claude/r, permission_mode: acceptEdits }");
  expect(asked.team.warnings).toEqual([]);
  expect(asked.a?.permissionMode).toBe("acceptEdits");
});

test("a name in `tools.only` that is no tool of Claude Code is a warning", () => {
  inProject("r.md", subagent("r", "tools: Raed\n"));
  expect(agentA("{ from: claude/r }").team.warnings).toEqual([
    expect.stringContaining(
      "t.yaml:4:3: agents.a.tools.only[0]: Claude Code has no tool named Raed.",
    ),
  ]);
});

test("a sub-agent that is missing or broken is an error at the field `from`, with its own file, line and column", () => {
  inProject("reviewer.md", subagent("reviewer"));
  const broken = inProject("broken.md", "---\nname: broken\n---\nx");
  expect(() => agentA("{ from: claude/revewer }")).toThrow(
    /t\.yaml:4:8: agents\.a\.from: There is no sub-agent revewer in \S+project\/\.claude\/agents or \S+user\/agents\. Did you mean reviewer\?$/,
  );
  expect(() => agentA("{ from: claude/broken, prompt_file: p.md }")).toThrow(
    `t.yaml:4:8: agents.a.from: ${broken}:2:1: description: It is missing`,
  );
  expect(() => agentA("{ from: reviewer }")).toThrow("agents.a.from: Write claude/NAME");
  expect(() => agentA("{ prompt: x }")).toThrow("agents.a.description: It is missing.");
});
