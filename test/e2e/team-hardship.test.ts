import { mkdirSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import type { TeamStatus } from "../../src/wire/team/control-methods.ts";
import { roleRule, TeamStage } from "../support/team-stage.ts";

const team = `
name: hardship
lead: boss
limits: { failed_starts: 2 }
timeouts: { linger: 5 }
agents:
  boss: { description: leads, prompt: p }
  coder: { description: codes, prompt: p, workdir: work }
`;

const delegate = (content: string): string =>
  `[{ name: mcp__team__send_message, input: { to: coder, content: ${content}, wait: true } }]`;
const lookAround = "[{ name: mcp__team__list_agents, input: {} }]";

// The figures of one answer make Claude Code compact. What it was told before is gone then; it goes on
// looking around until it reads which tasks it still has.
const script = `
rules:${roleRule}
  - when: { agent: boss, user: a long task }
    tools: ${delegate("a piece of work")}
  - when: { agent: boss, user: once more }
    tools: ${delegate("a little work")}
  - when: { agent: coder, peer: a piece of work }
    times: 1
    tools: ${lookAround}
    usage: { input_tokens: 990000 }
  - when: { agent: coder, peer: "/You still have these open tasks:\\\\s+- [0-9a-f-]+ from boss \\\\(working\\\\): (?<title>[^\\\\n]+)/" }
    text: "My open task: \${title}"
  - when: { agent: coder, tool_result: mcp__team__list_agents }
    tools: ${lookAround}
    delay_ms: 100
  - when: { agent: coder, peer: a little work }
    text: Little is done.
  - when: { agent: boss, tool_result: { text: "/Error (?<number>-\\\\d+)/" } }
    text: "refused with \${number}"
  - when: { agent: boss, tool_result: { text: "/Answer from \\\\w+ [^\\\\n]*\\\\n(?<words>[^\\\\n]+)/" } }
    text: "\${words}"
default: { text: UNEXPECTED }
`;

test(
  "a task outlives a compaction; an agent that cannot start is quarantined, reported and brought back",
  {
    timeout: 300_000,
  },
  async () => {
    const stage = new TeamStage(team, script);
    mkdirSync(stage.work);
    const run = await stage.up({ ready: ["boss", "coder"] });
    const cli = (...args: string[]) => stage.run(...args, "--state-dir", stage.stateDir);

    // Compaction: the row of the task is told again, and the model reads it in the same turn.
    expect(await run.ask("a long task")).toBe("My open task: a piece of work");
    const requests = await stage.requests("coder");
    const reminded = requests.findIndex(({ new_peer_texts }) =>
      new_peer_texts.some((text) => text.includes("You still have these open tasks")),
    );
    expect(reminded).toBeGreaterThan(-1);
    const side = (await stage.rehearsal.journal()).filter(({ kind }) => kind === "side");
    expect(side.map(({ agent }) => agent)).toEqual(["coder"]);
    const turns = run.told.filter(
      (event) => event.type === "turn_started" && event.agent === "coder",
    );
    // The role check and the task; being reminded starts none.
    expect(turns).toHaveLength(2);

    // Quarantine: its process is killed, and where it works is gone.
    const since = run.told.length;
    rmSync(stage.work, { recursive: true });
    const status = JSON.parse((await cli("status", "--json")).out) as TeamStatus;
    process.kill(status.agents.find(({ id }) => id === "coder")?.pid ?? 0, "SIGKILL");
    const quarantined = { since, fits: ({ state }: { state: string }) => state === "quarantined" };
    await run.until("agent_state", quarantined);
    const notice = await run.until("notice", { since, fits: ({ level }) => level === "error" });
    expect(notice).toMatchObject({
      agent: "coder",
      message: expect.stringMatching(/failed to start 2 times in a row\. .+ is not a directory/),
      hint: expect.stringContaining("switchboard restart coder"),
    });
    expect((await cli("status")).out).toMatch(/coder +quarantined/);
    expect(await run.ask("once more")).toBe("refused with -32007");
    expect(JSON.stringify((await stage.requests("boss")).at(-1)?.body)).toContain(
      "coder is quarantined",
    );
    expect((await cli("attach", "coder")).err).toContain("switchboard restart coder");

    // A person mends it, and brings it back with all that it knew.
    mkdirSync(stage.work);
    const mended = run.told.length;
    expect((await cli("restart", "coder")).out).toContain("coder is being started");
    await run.ready("coder", mended);
    expect(await run.ask("once more")).toBe("Little is done.");
    const last = (await stage.requests("coder")).at(-1);
    expect(JSON.stringify(last?.body)).toContain("My open task: a piece of work");
    expect(await stage.rehearsal.failures()).toEqual([]);

    await cli("down");
    expect(await run.exited).toBe(0);
    expect(stage.processes()).toEqual([]);
  },
);

const poisonTeam = `
name: poison
lead: boss
policy: [{ tool: Bash, action: allow }]
agents:
  boss: { description: leads, prompt: p }
  coder: { description: codes, prompt: p }
`;

// Whatever the coder is told after it was asked to, it ends its own CLI.
const poisonScript = `
rules:${roleRule}
  - when: { agent: boss, user: poison }
    tools: ${delegate("drink the poison")}
  - when: { agent: boss, user: well }
    tools: ${delegate("are you well?")}
  - when: { agent: boss, tool_result: { text: /was lost 3 times/ } }
    text: It could not be done.
  - when: { agent: boss, tool_result: { text: /I am well/ } }
    text: The coder is well.
  - when: { agent: coder, peer: are you well }
    text: I am well.
  - when: { agent: coder }
    tools: [{ name: Bash, input: { command: "kill -9 $PPID; sleep 30" } }]
default: { text: UNEXPECTED }
`;

test("a message that ends its recipient each time is given up, its sender is informed, and the agent goes on", async () => {
  const stage = new TeamStage(poisonTeam, poisonScript);
  const run = await stage.up({ ready: ["boss", "coder"] });
  expect(await run.ask("poison")).toBe("It could not be done.");
  const lost = run.told.filter(
    (event) => event.type === "turn_ended" && event.stop_reason === "cli_lost",
  );
  expect(lost).toHaveLength(3);
  expect(await run.ask("are you all well?")).toBe("The coder is well.");
  await stage.run("down", "--state-dir", stage.stateDir);
  expect(await run.exited).toBe(0);
});
