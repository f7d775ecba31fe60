import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import type { TeamRun } from "../support/team-stage.ts";
import { roleRule, TeamStage } from "../support/team-stage.ts";

// Whatever is left behind would live on for this long.
const team = `
name: ends
lead: boss
timeouts: { linger: 300 }
agents:
  boss: { description: leads, prompt: p }
  coder: { description: codes, prompt: p }
`;

const script = `
rules:${roleRule}
  - when: { agent: boss, user: go }
    tools: [{ name: mcp__team__send_message, input: { to: coder, content: do it } }]
default: { text: Very well. }
`;

/** Generous, and far below the linger time. */
const BOUND_MS = 60_000;

const endOf = (run: TeamRun, withinMs: number): Promise<unknown> =>
  Promise.race([run.exited, delay(withinMs, "still running", { ref: false })]);

test("a team that is stopped while its agents start leaves no process behind", async () => {
  const stage = new TeamStage(team, script);
  const run = await stage.up({ ready: [] });
  const isStarting = (): boolean =>
    stage.processes().some(({ command }) => command.includes("agent-socket"));
  await expect.poll(isStarting, { interval: 5 }).toBe(true);
  run.child.kill("SIGTERM");
  expect(await endOf(run, BOUND_MS / 2)).toBe(0);
  await expect.poll(() => stage.processes(), { timeout: BOUND_MS }).toEqual([]);
});

test(
  "a team with an agent that hangs, and with a message on its way there, is stopped in bounded time",
  { timeout: 240_000 },
  async () => {
    const stage = new TeamStage(team, script);
    const run = await stage.up({ ready: ["boss", "coder"], log: "debug" });
    await using client = await run.connect();
    process.kill(client.init.agents.find(({ id }) => id === "coder")?.pid ?? 0, "SIGSTOP");
    await client.request("send", { text: "go" });
    const { message } = await run.until("message_sent", {
      fits: (event) => event.message.to_agent === "coder",
    });
    await expect.poll(() => run.errors).toMatch(new RegExp(`${message.id}.*was claimed`));
    const down = stage.run("down", "--state-dir", stage.stateDir);
    expect(await endOf(run, BOUND_MS)).toBe(0);
    expect((await down).code).toBe(0);
    await expect.poll(() => stage.processes(), { timeout: BOUND_MS }).toEqual([]);
  },
);
