import { expect, test } from "vitest";
import type { TeamStatus } from "../../src/wire/team/control-methods.ts";
import { ProjectStage } from "../support/project-stage.ts";

const SLOW_MS = 300_000;

const team = `
name: patient
lead: boss
confirm_roles: false
timeouts: { task: 3, idle: 2 }
agents:
  boss: { description: leads the work, prompt: You lead. }
`;

const script = `
rules:
  - when: { user: Go on with what you were doing }
    text: It is built.
  - when: { user: build }
    fault: { kind: usage_limit, resets_in_s: 8 }
default: { text: Very well. }
`;

test(
  "[TEAM-34] a team goes on by itself at the reset of the limit, also when it was killed; `abort` cancels that",
  { timeout: SLOW_MS },
  async () => {
    const stage = new ProjectStage(script);
    const project = stage.project("one", team);
    const boss = async () => {
      const { out } = await project.run("status", "--json");
      return (JSON.parse(out) as TeamStatus).agents[0];
    };
    const waits = { timeout: 60_000 };
    const first = await project.up("--continue-at-reset");
    const sent = project.spawn("send", "build");
    await expect.poll(async () => (await boss())?.continues_at, waits).toMatch(/^20/);
    expect((await project.run("status")).out).toMatch(/boss continues at \d.*abort boss/);
    first.child.kill("SIGKILL");
    await first.exited;
    const second = await project.up("--continue-at-reset");
    // The task would have timed out, and the agent hibernated, long before the reset.
    expect([await sent.exited, sent.said.out.trim()]).toEqual([0, "It is built."]);
    expect((await boss())?.continues_at).toBeUndefined();

    const again = project.spawn("send", "build", "--json");
    await expect.poll(async () => (await boss())?.continues_at, waits).toMatch(/^20/);
    expect((await project.run("abort", "boss")).code).toBe(0);
    await again.exited;
    expect(JSON.parse(again.said.out)).toMatchObject({ failed: true });
    expect((await boss())?.continues_at).toBeUndefined();
    second.child.kill("SIGINT");
    await second.exited;
    await expect.poll(() => stage.processes()).toEqual([]);
  },
);
