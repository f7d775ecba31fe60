import { expect, test } from "vitest";
import { roleRule, TeamStage } from "../support/team-stage.ts";

const team = `
name: sleep
lead: boss
timeouts: { idle: 1 }
agents:
  boss: { description: leads, prompt: p }
  coder: { description: codes, prompt: p }
`;

const script = `
rules:${roleRule}
  - when: { agent: boss, user: '/(job-\\d)/' }
    tools: [{ name: mcp__team__send_message, input: { to: coder, content: part of $1, wait: true } }]
  - when: { agent: boss, tool_result: { text: '/result of (job-\\d)/' } }
    text: Done with $1.
  - when: { agent: coder, peer: '/part of (job-\\d)/' }
    text: result of $1
default: { text: UNEXPECTED }
`;

const copies = (words: string, part: string): number => words.split(part).length - 1;

test(
  "agents that sleep have no process; a message wakes them, and they go on with the same conversation",
  { timeout: 240_000 },
  async () => {
    const stage = new TeamStage(team, script);
    const run = await stage.up({ ready: ["boss", "coder"] });
    const processesOf = (agent: string): unknown[] =>
      stage.processes().filter(({ command }) => command.includes(`/agents/${agent}/`));
    const jobs = ["job-1", "job-2"];
    for (const job of jobs) {
      const since = run.told.length;
      expect(await run.ask(`${job} please`)).toBe(`Done with ${job}.`);
      for (const agent of ["boss", "coder"]) {
        await run.until("agent_state", {
          since,
          fits: (event) => event.agent === agent && event.state === "hibernated",
        });
        await expect.poll(() => processesOf(agent)).toEqual([]);
      }
    }
    // Its conversation can be looked at while it sleeps, and that does not wake it.
    const look = await stage.run("attach", "coder", "--state-dir", stage.stateDir);
    expect(look).toMatchObject({ code: 0, out: expect.stringContaining("result of job-2") });
    expect(look.err).toContain("part of job-1");
    expect(look.err).toContain("(rehearsed: nothing was paid)");
    expect(processesOf("coder")).toEqual([]);
    const words = JSON.stringify((await stage.requests("coder")).at(-1)?.body?.messages);
    for (const job of jobs) expect(copies(words, `part of ${job}`)).toBe(1);
    // An agent that hibernates was not lost, and needs no second role check.
    const states = run.told.flatMap((event) => (event.type === "agent_state" ? [event.state] : []));
    expect(states).not.toContain("restarting");
    expect(states.filter((state) => state === "confirming")).toHaveLength(2);
    expect(await stage.rehearsal.failures()).toEqual([]);
  },
);
