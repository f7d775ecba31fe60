import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { connectSession } from "../../src/client/index.ts";
import { pathsOfAgent } from "../../src/team/host/local/agent-paths.ts";
import { controlSocket } from "../../src/team/state-dir/control-socket-path.ts";
import { connectTeamOnce } from "../support/connect-team.ts";
import { SessionLineClient } from "../support/session-line-client.ts";
import { roleRule, TeamStage } from "../support/team-stage.ts";

const team = `
name: ruled
lead: boss
policy:
  - { tool: Read, match: "*secret*", action: deny, reason: Secrets stay closed. }
  - { tool: Bash, match: "cat*", action: deny }
  - { tool: Bash, match: "ls*", action: ask }
  - { tool: Bash, match: "rm*", action: deny }
  - { tool: Write, action: deny }
  - { tool: "mcp__*", action: deny, reason: Not in this project. }
agents:
  boss:
    description: leads
    prompt: p
    workdir: work
    permission_mode: acceptEdits
    tools: { allow: [Bash] }
`;

const scriptIn = (work: string): string => `
rules:${roleRule}
  - when: { user: "/^run (.*)/" }
    tools: [{ name: Bash, input: { command: $1 } }]
  - when: { user: read the secret }
    tools: [{ name: Read, input: { file_path: ${join(work, "secret.txt")} } }]
  - when: { user: read the plan }
    tools: [{ name: Read, input: { file_path: ${join(work, "plan.txt")} } }]
  - when: { user: write }
    tools: [{ name: Write, input: { file_path: ${join(work, "new.txt")}, content: x } }]
  - when: { user: list }
    tools: [{ name: mcp__team__list_agents, input: {} }]
  - when: { user: think and then read }
    text: Never.
    delay_ms: 60000
    times: 1
  - when: { tool_result: /./ }
    text: "It gave: \${tool_result}"
default:
  tools: [{ name: Read, input: { file_path: ${join(work, "secret.txt")} } }]
`;

const byRule = (rule: string, said = "does not allow this call") => ({
  outcome: "denied",
  by: "policy",
  rule,
  said: expect.stringContaining(said) as string,
});

test(
  "the team file's policy decides on what Claude Code would run unasked, also after a kill in mid-turn, and no client decides in its name",
  { timeout: 300_000 },
  async () => {
    const stage = new TeamStage(team, "");
    mkdirSync(stage.work);
    for (const name of ["secret.txt", "plan.txt", "a.txt"]) {
      writeFileSync(join(stage.work, name), `CONTENT OF ${name}`);
    }
    stage.writeScript(scriptIn(stage.work));
    const run = await stage.up({ ready: ["boss"] });
    // A rule for all MCP tools is one for the team's own tools too: `up` warns about it.
    expect(await run.until("notice")).toMatchObject({
      level: "warn",
      message: expect.stringMatching(/boss cannot use the team's own tools .*6: deny mcp__\*/),
      hint: expect.stringContaining("mcp__team__*"),
    });

    const decided = async (words: string) => {
      const since = run.told.length;
      const said = await run.ask(words);
      return { said, ...(await run.until("approval_resolved", { since })) };
    };
    expect(await decided("read the secret")).toMatchObject(
      byRule("1: deny Read(*secret*)", "Secrets stay closed."),
    );
    expect(await decided("run cat secret.txt")).toMatchObject(byRule("2: deny Bash(cat*)"));
    expect(await decided("run rm -f a.txt")).toMatchObject(byRule("4: deny Bash(rm*)"));
    expect(existsSync(join(stage.work, "a.txt"))).toBe(true);
    expect(await decided("write")).toMatchObject(byRule("5: deny Write"));
    expect(existsSync(join(stage.work, "new.txt"))).toBe(false);
    expect(await decided("list")).toMatchObject(byRule("6: deny mcp__*", "Not in this project."));

    const since = run.told.length;
    const listed = run.ask("run ls");
    const { request } = await run.until("approval_requested", { since });
    expect(request).toMatchObject({
      tool: "Bash",
      policy: { action: "ask", rule: "3: ask Bash(ls*)" },
    });
    const place = ["--state-dir", stage.stateDir];
    expect((await stage.run("approve", request.request_id, ...place)).out).toContain("Allowed.");
    expect(await listed).toContain("plan.txt");

    // A person may change the call first: the records say what ran.
    const changedFrom = run.told.length;
    const changed = run.ask("run ls -la");
    const { request: second } = await run.until("approval_requested", { since: changedFrom });
    const { socket } = pathsOfAgent(stage.stateDir, "boss");
    await using anna = await connectSession(socket, { name: "anna" });
    await anna.approve(second.request_id, { updatedInput: { command: "echo CHANGED" } });
    expect(await changed).toContain("CHANGED");
    expect(await run.until("approval_resolved", { since: changedFrom })).toMatchObject({
      by: "anna",
      changed: { tool: "Bash", asked: "ls -la", ran: "echo CHANGED" },
    });
    expect((await stage.run("log", ...place)).out).toContain(
      "allowed by anna: Bash echo CHANGED (changed; asked: ls -la)",
    );

    // Any program of this user reaches the sockets, also one that an agent runs: it cannot decide as the policy or as an
    // agent, and what it decides under no name stands in the records as a client's.
    const spoofedFrom = run.told.length;
    const spoofed = run.ask("run ls -l");
    const { request: third } = await run.until("approval_requested", { since: spoofedFrom });
    const control = controlSocket(stage.stateDir);
    const refused = {
      code: "invalid_params",
      message: expect.stringContaining("cannot be called"),
    };
    for (const name of ["policy", "Policy\u200b", "boss", "user"]) {
      await expect(connectTeamOnce(control, name)).rejects.toMatchObject(refused);
    }
    await expect(connectSession(socket, { name: "policy" })).rejects.toMatchObject(refused);
    const program = new SessionLineClient(control);
    program.send(
      { jsonrpc: "2.0", id: 1, method: "hello", params: { client: "policy" } },
      { jsonrpc: "2.0", id: 2, method: "approve", params: { request_id: third.request_id } },
    );
    expect(await spoofed).toContain("plan.txt");
    const decision = await run.until("approval_resolved", { since: spoofedFrom });
    expect(decision).toMatchObject({
      outcome: "allowed",
      by: expect.stringMatching(/^client-\d+$/),
    });
    expect(decision).not.toHaveProperty("rule");

    // Claude Code decides on a call that no rule fits, without asking a person.
    const before = run.told.length;
    expect(await run.ask("read the plan")).toContain("CONTENT OF plan.txt");
    expect(run.told.slice(before).filter(({ type }) => type === "approval_requested")).toEqual([]);

    // The turn that goes on after the agent's process was killed is under the same rules.
    const requests = (await stage.requests("boss")).length;
    const asked = run.ask("think and then read");
    await vi.waitFor(
      async () => expect((await stage.requests("boss")).length).toBeGreaterThan(requests),
      { timeout: 60_000 },
    );
    const host = stage.processes().find(({ command }) => command.includes("agent-socket.js"));
    process.kill(host?.pid ?? 0, "SIGKILL");
    expect(await asked).toContain("Secrets stay closed.");
    const journal = JSON.stringify(await stage.requests("boss"));
    expect(journal).not.toContain("CONTENT OF secret.txt");
  },
);
