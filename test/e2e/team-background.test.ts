import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TeamStage } from "../support/team-stage.ts";

const team = `
name: background
lead: lead
confirm_roles: false
timeouts: { idle: 1 }
policy: [{ tool: Bash, action: allow }]
agents:
  lead: { description: leads, prompt: p }
`;

test(
  "an agent does not hibernate before its background command has ended",
  { timeout: 120_000 },
  async () => {
    const stage = new TeamStage(team, "");
    const done = join(stage.root, "done");
    stage.writeScript(`
rules:
  - when: { user: work in the background }
    times: 1
    tools: [{ name: Bash, input: { command: "sleep 5; touch ${done}", run_in_background: true } }]
default: { text: It runs. }
`);
    const run = await stage.up({ ready: ["lead"] });
    expect(await run.ask("work in the background")).toBe("It runs.");
    const ended = await run.until("turn_ended");
    await run.until("agent_state", {
      // It may have slept before it was asked.
      since: run.told.indexOf(ended),
      fits: ({ agent, state }) => agent === "lead" && state === "hibernated",
      withinMs: 60_000,
    });
    expect(existsSync(done)).toBe(true);
  },
);
