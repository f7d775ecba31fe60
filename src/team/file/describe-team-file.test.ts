import { expect, test } from "vitest";
import { TeamDescriptionSchema } from "../../wire/team/read-results.ts";
import { describeTeam } from "./describe-team-file.ts";
import { parseTeam } from "./load-team.ts";

const file = `
name: t
lead: boss
budget: { usd: 5, task: { turns: 7 } }
timeouts: { idle: 1.5 }
policy:
  - { agents: [coder], tool: Bash, match: "rm *", action: deny, reason: no }
agents:
  boss: { description: leads, prompt: Lead., may_interrupt: [coder] }
  coder:
    description: codes
    prompt: Write code.
    model: opus
    permission_mode: plan
    isolation: home
    worktree: true
    may_message: [boss]
    tools: { allow: [Read], deny: [WebFetch] }
    budget: { tokens: 10 }
    mcp:
      db: { command: db-server, args: [--fast], env: { DB_KEY: "\${PATH}", PLAIN: hidden-1 } }
      web:
        url: "https://\${USER:-hidden-2}:hidden-3@host.test/mcp?key=hidden-4#hidden-5"
        headers: { Authorization: "Bearer hidden-6" }
`;

test("[TEAM-14] describeTeam tells what the team file says, with defaults filled in", () => {
  const described = describeTeam(parseTeam(file, "/etc/team.yaml", "/work"));
  expect(TeamDescriptionSchema.safeParse(described).error).toBeUndefined();
  expect(described).toMatchObject({
    name: "t",
    lead: "boss",
    budget: { team: { usd: 5 }, task: { turns: 7 } },
    timeouts: { idle_ms: 1500, start_ms: 30_000 },
    limits: { hops: 8 },
    policy: [{ agents: ["coder"], tool: "Bash", match: "rm *", action: "deny", reason: "no" }],
    agents: [
      { id: "boss", mode: "default", may_message: ["coder"], may_interrupt: ["coder"], mcp: [] },
      {
        id: "coder",
        prompt: "Write code.",
        model: "opus",
        mode: "plan",
        isolation: "home",
        worktree: true,
        workdir: "/work",
        may_message: ["boss"],
        tools: { files: [], allow: ["Read"], deny: ["WebFetch"] },
        budget: { tokens: 10 },
      },
    ],
  });
});

test("[TEAM-14] describeTeam leaves out every value of an MCP server that may be a secret", () => {
  const described = describeTeam(parseTeam(file, "/etc/team.yaml", "/work"));
  expect(described.agents[1]?.mcp).toEqual([
    { name: "db", type: "stdio", command: "db-server", args: ["--fast"], env: ["DB_KEY", "PLAIN"] },
    { name: "web", type: "http", url: "https://host.test/mcp", headers: ["Authorization"] },
  ]);
  expect(JSON.stringify(described)).not.toContain("hidden");
});
