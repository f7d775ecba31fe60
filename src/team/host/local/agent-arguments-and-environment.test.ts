import { expect, test } from "vitest";
import type { RunSettings } from "../agent-host.ts";
import { parseTeam } from "../../file/load-team.ts";
import { agentArguments } from "./agent-arguments-and-environment.ts";
import { pathsOfAgent } from "./agent-paths.ts";

const team = parseTeam(
  `
name: t
lead: boss
timeouts: { approval: 7, linger: 8 }
agents:
  boss: { description: d, prompt: p }
  coder:
    description: d
    prompt: p
    model: claude-opus
    permission_mode: acceptEdits
    tools: { only: [Read, Bash], allow: [Read, "Bash(npm test:*)"], deny: [WebFetch] }
  talker: { description: d, prompt: p, tools: { only: [] } }
`,
  "t.yaml",
  "/work",
);

/** The values of each flag of an agent. */
function flagsOf(id: string, settings?: RunSettings): Record<string, string[]> {
  const spec = team.agents.get(id);
  if (!spec) throw new Error(`no ${id}`);
  const paths = pathsOfAgent("/state", id);
  const [, ...rest] = agentArguments({
    team,
    spec,
    ...(settings && { settings }),
    paths,
    cwd: "/work",
    trust: false,
    resume: undefined,
  });
  const flags: Record<string, string[]> = {};
  let values: string[] = [];
  for (const word of rest) {
    if (word.startsWith("--")) flags[word] = values = [];
    else values.push(word);
  }
  return flags;
}

test("agentArguments has all settings of an agent in the team file", () => {
  const flags = flagsOf("coder");
  expect(flags).toMatchObject({
    "--model": ["claude-opus"],
    "--permission-mode": ["acceptEdits"],
    "--cwd": ["/work"],
    "--approval-timeout-ms": ["7000"],
    "--linger-ms": ["8000"],
  });
  expect(flags["--allowed-tools"]).toEqual(
    expect.arrayContaining(["mcp__team__send_message", "Read", "Bash(npm test:*)"]),
  );
  expect(flags["--disallowed-tools"]).toEqual(
    expect.arrayContaining(["SendMessage", "AskUserQuestion", "WebFetch"]),
  );
  expect(flags["--tools"]).toEqual(["Read,Bash"]);
  expect(flagsOf("talker")["--tools"]).toEqual([""]);
});

test("agentArguments leaves other settings to Claude Code, and lets only the lead ask the user", () => {
  const flags = flagsOf("boss");
  expect(flags).not.toHaveProperty("--model");
  expect(flags).not.toHaveProperty("--tools");
  expect(flags).not.toHaveProperty("--trust");
  expect(flags["--permission-mode"]).toEqual(["default"]);
  expect(flags["--disallowed-tools"]).toContain("SendMessage");
  expect(flags["--disallowed-tools"]).not.toContain("AskUserQuestion");
});

test("[TEAM-26] agentArguments has the mode and the model that a person has set", () => {
  expect(flagsOf("coder", { mode: "plan" })).toMatchObject({
    "--permission-mode": ["plan"],
    "--model": ["claude-opus"],
  });
  expect(flagsOf("boss", { model: "haiku" })).toMatchObject({
    "--permission-mode": ["default"],
    "--model": ["haiku"],
  });
});
