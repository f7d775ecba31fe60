import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { pidNamespace, processId } from "../../src/proc/process-identity.ts";
import { treeVariable } from "../../src/proc/tree-mark.ts";
import { pathsOfAgent } from "../../src/team/host/local/agent-paths.ts";
import { connectTeamOnce } from "../support/connect-team.ts";
import { controlSocket } from "../../src/team/state-dir/control-socket-path.ts";
import { roleRule, TeamStage } from "../support/team-stage.ts";
import { watchdogsOf } from "./fixtures/proc-list.ts";

const yaml = (where: string): string => `
name: refused
lead: boss
agents:
  boss: { description: leads, prompt: p }
  coder: { description: codes, prompt: p, ${where} }
`;

const script = "rules: [{ text: hello }]";

/** It has to end by itself, however long it takes. */
const endOf = async (stage: TeamStage): Promise<{ code: unknown; errors: string }> => {
  const run = await stage.up({ ready: [] });
  const code = await Promise.race([run.exited, delay(60_000, "still running", { ref: false })]);
  return { code, errors: run.errors };
};

test("`up` that is refused because of one agent says why, and ends", async () => {
  const stage = new TeamStage(yaml("worktree: true"), script);
  // No commit is in it yet, of which there could be another copy.
  spawnSync("git", ["init", "--quiet", stage.root]);
  expect(await endOf(stage)).toEqual({
    code: 65,
    errors: expect.stringMatching(
      /"code":"team_invalid".*coder: no worktree can be made of .*at least one commit/,
    ),
  });
  expect(stage.processes()).toEqual([]);
  expect(stage.sockets()).toEqual([]);
});

test("`up` that fails at a later agent ends, and removes the tools of earlier ones", async () => {
  const stage = new TeamStage(yaml("workdir: ."), script);
  const { tools } = pathsOfAgent(stage.stateDir, "coder");
  mkdirSync(dirname(tools), { recursive: true, mode: 0o700 });
  writeFileSync(tools, "in the way");
  const { code, errors } = await endOf(stage);
  expect(errors).toContain("EEXIST");
  expect(code).toBe(70);
  expect(stage.processes()).toEqual([]);
  expect(stage.sockets()).toEqual([]);
});

test("`down` leaves no process of an agent that does not end by itself", async () => {
  const alone = "name: stuck\nlead: boss\nagents:\n  boss: { description: leads, prompt: p }\n";
  const stage = new TeamStage(alone, `rules:${roleRule}`);
  const run = await stage.up({ ready: ["boss"] });
  await using client = await connectTeamOnce(controlSocket(stage.stateDir));
  const { agents } = await client.request("status", {});
  const pid = agents[0]?.pid ?? 0;
  // What would sweep after it is as slow as the agent itself.
  const stuck = [pid, ...watchdogsOf(pid).map((watchdog) => watchdog.pid)];
  for (const each of stuck) process.kill(each, "SIGSTOP");
  onTestFinished(() => {
    for (const each of stuck.slice(1)) process.kill(each, "SIGKILL");
  });
  expect(stuck).toHaveLength(2);
  // As something that its CLI has started is marked, with the stage in its environment.
  const mark = `${pidNamespace()}-${processId(pid)}/0-99`;
  const env = { ...process.env, HOME: stage.root, [treeVariable]: mark };
  const left = spawn("sleep", ["600"], { env, detached: true });
  onTestFinished(() => void left.kill("SIGKILL"));
  expect((await stage.run("down", "--state-dir", stage.stateDir)).code).toBe(0);
  await run.exited;
  expect(stage.processes()).toEqual([]);
  expect(stage.sockets()).toEqual([]);
});
