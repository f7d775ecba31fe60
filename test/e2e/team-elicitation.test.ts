import { userInfo } from "node:os";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { roleRule, TeamStage } from "../support/team-stage.ts";

const server = resolve(import.meta.dirname, "../fixtures/mcp/asking-server.ts");

const team = `
name: shops
lead: boss
policy:
  - { tool: mcp__shop__deploy, action: allow }
agents:
  boss: { description: leads, prompt: p, isolation: home }
  coder:
    description: codes
    prompt: p
    isolation: home
    mcp:
      shop: { command: "${process.execPath}", args: ["${server}", "2026-07-28"] }
`;

const script = `
rules:${roleRule}
  - when: { agent: boss, user: deploy it }
    tools: [{ name: mcp__team__send_message, input: { to: coder, content: deploy, wait: true } }]
  - when: { agent: coder, peer: deploy }
    tools: [{ name: mcp__shop__deploy, input: {} }]
  - when: { agent: coder, tool_result: { text: "/told .*(accept|cancel)/" } }
    text: "The person said $1."
  - when: { agent: boss, tool_result: { text: "/(The person said \\\\w+)/" } }
    text: "$1"
default: { text: UNEXPECTED }
`;

test(
  "[SES-79] a form of an MCP server of any agent is listed by switchboard approvals and filled in with switchboard answer",
  { timeout: 120_000 },
  async () => {
    const stage = new TeamStage(team, script);
    const run = await stage.up({ ready: ["boss", "coder"] });
    const cli = async (...args: string[]) => {
      const { out, err, code } = await stage.run(...args, "--state-dir", stage.stateDir);
      return { out: out.trim(), err, code };
    };
    const answer = run.ask("deploy it");
    const { agent, request } = await run.until("approval_requested", {
      fits: (event) => event.request.type === "elicitation",
    });
    expect(agent).toBe("coder");
    const { request_id: id } = request;
    const listed = await cli("approvals");
    expect(listed.out).toMatch(/elicit_\S+ +coder +[0-9:]+ +shop \(MCP server\) asks: Where shall/);
    expect(listed.out).toContain("Target (target)");
    expect(listed.out).toContain(`switchboard answer ${id} target=VALUE`);
    expect(await cli("answer", id, "target=moon")).toMatchObject({
      code: 64,
      err: expect.stringContaining("Target is one of: staging, production."),
    });
    expect(await cli("answer", id, "target=1", "copies=99")).toMatchObject({
      code: 64,
      err: expect.stringContaining("copies: must be <= 9"),
    });
    expect((await cli("answer", id, "target=1", "copies=3")).out).toBe("Answered.");
    const resolved = await run.until("approval_resolved", {
      fits: ({ request_id }) => request_id === id,
    });
    expect(resolved).toMatchObject({
      outcome: "allowed",
      by: `${userInfo().username} (command line)`,
    });
    expect(await answer).toBe("The person said accept");
    expect((await cli("approvals")).out).toBe("No agent waits for a decision.");
  },
);
