import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { query } from "@anthropic-ai/claude-agent-sdk";
import { expect, test, vi } from "vitest";
import {
  findSubagents,
  subagentFolders,
} from "../../src/claude-config/subagents/find-subagents.ts";
import { parseTeam } from "../../src/team/file/load-team.ts";
import { setStage } from "../support/rehearsed.ts";

// Claude Code itself says which sub-agents there are and what it tells them; an agent `from: claude/NAME` has the same.

const names = ["above", "both", "colon", "deep", "near", "skilled"];

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const subagent = (name: string, words: string, more = ""): string =>
  `---\nname: ${name}\ndescription: does ${name}\n${more}---\nPROMPT ${words}.\n`;

const skill = (words: string): string => `---\nname: style\ndescription: s\n---\nSTYLE ${words}`;

test(
  "sub-agents are found, chosen and read as Claude Code does it: names, prompts, skills and tools",
  { timeout: 120_000 },
  async () => {
    const {
      cwd: root,
      configDir,
      rehearsal,
      env,
    } = await setStage({
      rules: [
        {
          when: { user: "go" },
          tools: names.map((name) => ({
            name: "Agent",
            input: { subagent_type: name, description: "look", prompt: `task for ${name}` },
          })),
        },
      ],
      default: { text: "Fine." },
    });
    const cwd = join(root, "part");
    const [project, part, user] = [join(root, ".claude"), join(cwd, ".claude"), configDir];
    mkdirSync(join(root, ".git"));
    put(join(project, "agents/above.md"), subagent("above", "above"));
    put(join(project, "agents/near.md"), subagent("near", "far"));
    put(join(part, "agents/near.md"), subagent("near", "near"));
    put(
      join(part, "agents/sub/folder/x.md"),
      subagent("deep", "deep", "tools: Read, Bash(git *)\n"),
    );
    put(join(part, "agents/both.md"), subagent("both", "project"));
    put(join(user, "agents/both.md"), subagent("both", "user"));
    put(join(part, "agents/README.md"), "No sub-agent.\n");
    put(join(part, "agents/nameless.md"), "---\ndescription: x\n---\nPROMPT nameless.\n");
    put(
      join(part, "agents/colon.md"),
      subagent("colon", "colon").replace("does colon", "Use it like this: first, then: last # so"),
    );
    put(join(part, "agents/skilled.md"), subagent("skilled", "skilled", "skills: style\n"));
    put(join(part, "skills/style/SKILL.md"), skill("project"));
    put(join(user, "skills/style/SKILL.md"), skill("user"));

    let known: readonly string[] = [];
    const talk = query({
      prompt: "go",
      options: {
        cwd,
        env: { ...env, CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1" },
        settingSources: ["user", "project"],
        allowedTools: ["Agent"],
      },
    });
    for await (const message of talk) {
      if (message.type === "system" && message.subtype === "init") known = message.agents ?? [];
    }
    const ours = findSubagents(subagentFolders(cwd, { directory: configDir }));
    const good = ours.flatMap(({ read }) => (read.ok ? [read.subagent.name] : []));
    expect([...new Set(good)].toSorted()).toEqual(names);
    expect(known.filter((name) => good.includes(name)).toSorted()).toEqual(names);
    expect(known).not.toContain("nameless");

    vi.stubEnv("CLAUDE_CONFIG_DIR", configDir);
    const agents = names.map((name) => `  ${name}: { from: claude/${name} }`).join("\n");
    const team = parseTeam(`name: t\nlead: near\nagents:\n${agents}`, join(cwd, "t.yaml"), cwd);
    vi.unstubAllEnvs();
    for (const name of names) {
      const request = rehearsal.journal.entries.find(
        ({ body }) =>
          JSON.stringify(body?.messages ?? "").includes(`task for ${name}`) &&
          JSON.stringify(body?.system ?? "").includes("PROMPT"),
      );
      const told = JSON.stringify([request?.body?.system, request?.body?.messages]);
      const { prompt = "", onlyTools } = team.agents.get(name) ?? {};
      const [words = ""] = /PROMPT [a-z]+/.exec(prompt) ?? [];
      expect({ name, told: /PROMPT [a-z]+/.exec(told)?.[0] }).toEqual({ name, told: words });
      expect({ name, skill: /STYLE [a-z]+/.exec(told)?.[0] }).toEqual({
        name,
        skill: /STYLE [a-z]+/.exec(prompt)?.[0],
      });
      if (!onlyTools) continue;
      const tools = request?.body?.tools?.map((tool) => tool.name).toSorted();
      expect({ name, tools }).toEqual({ name, tools: onlyTools.toSorted() });
    }
  },
);
