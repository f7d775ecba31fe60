import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { TeamStage, roleRule } from "../support/team-stage.ts";

const script = `
rules:${roleRule}
  - when: { agent: lead, user: "look" }
    tools:
      - { name: mcp__team__send_message, input: { to: reviewer, content: review the file, wait: true } }
  - when: { agent: reviewer, peer: "review the file" }
    text: It is fine.
  - when: { agent: lead, tool_result: { text: "/It is fine/" } }
    text: The reviewer says that it is fine.
default: { text: "What?" }
`;

/** The text of the system prompt, and the names of the tools. */
function toldTo(body: unknown): { system: string; tools: string[] } {
  const { system, tools = [] } = body as { system?: unknown; tools?: { name: string }[] };
  return { system: JSON.stringify(system), tools: tools.map(({ name }) => name) };
}

test(
  "a sub-agent of Claude Code works as an agent of the team that init --from-claude has written: its prompt, skill, model and tools are in the requests",
  { timeout: 180_000 },
  async () => {
    const stage = new TeamStage("", script);
    const put = (path: string, text: string): void => {
      mkdirSync(dirname(join(stage.root, path)), { recursive: true });
      writeFileSync(join(stage.root, path), text);
    };
    put(
      ".claude/agents/reviewer.md",
      `---
name: reviewer
description: Use it after each change: it reviews.
tools: Read, Grep, Bash(git *)
model: claude-haiku-4-5
skills: style
---
You are a strict reviewer of PLUMS.
`,
    );
    put(".claude/skills/style/SKILL.md", "---\nname: style\n---\nLines end with a SEMICOLON.");
    const written = await stage.run("init", "made.yaml", "--from-claude", "--json");
    expect(JSON.parse(written.out)).toEqual({
      file: "made.yaml",
      agents: ["lead", "reviewer"],
      warnings: [],
    });
    const run = await stage.up({
      file: join(stage.root, "made.yaml"),
      ready: ["lead", "reviewer"],
    });
    expect(await run.ask("look")).toBe("The reviewer says that it is fine.");

    const [request] = (await stage.requests("reviewer")).slice(-1);
    const { system, tools } = toldTo(request?.body);
    expect(system).toContain("You are a strict reviewer of PLUMS.");
    expect(system).toContain("Lines end with a SEMICOLON.");
    expect(tools.filter((name) => !name.startsWith("mcp__")).toSorted()).toEqual([
      "Bash",
      "Grep",
      "Read",
    ]);
    expect(tools).toContain("mcp__team__send_message");
    expect(request?.body).toMatchObject({ model: expect.stringMatching(/^claude-haiku-4-5/) });
    // The lead has no such list.
    const [lead] = (await stage.requests("lead")).slice(-1);
    expect(toldTo(lead?.body).tools).toContain("Write");
    await run.end();
  },
);
