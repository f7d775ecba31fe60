import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { controlSocket } from "../../src/team/state-dir/control-socket-path.ts";
import { roleRule, TeamStage } from "../support/team-stage.ts";

// It starts real agents, which a busy machine is slow at.
const SLOW_MS = 300_000;

const yaml = `
name: interrupted
lead: boss
agents:
  boss: { description: leads, prompt: p }
  coder: { description: codes, prompt: p }
`;
const script = `rules:${roleRule}\n  - when: { user: think }\n    text: a\n    fault: { kind: stall }`;

const project = resolve(import.meta.dirname, "../..");

const stageOf = (): TeamStage => new TeamStage(yaml, script);

const upOf = ({ teamFile, scriptFile, stateDir }: TeamStage): string[] =>
  `up ${teamFile} --rehearsal ${scriptFile} --state-dir ${stateDir}`.split(" ");

/** What the process says, as it comes. Whatever the test leaves is ended after it. */
function watched(stage: TeamStage, child: ChildProcess) {
  onTestFinished(() => {
    for (const { pid } of stage.processes()) process.kill(pid, "SIGKILL");
  });
  const said = { out: "", err: "" };
  child.stdout?.on("data", (chunk) => (said.out += String(chunk)));
  child.stderr?.on("data", (chunk) => (said.err += String(chunk)));
  return { child, said, exited: once(child, "exit") };
}

async function nothingIsLeft(stage: TeamStage): Promise<void> {
  await expect.poll(() => stage.processes()).toEqual([]);
  expect(stage.sockets()).toEqual([]);
}

test(
  "a second Ctrl+C does not interrupt the stop that the first has begun",
  { timeout: SLOW_MS },
  async () => {
    const stage = stageOf();
    const run = await stage.up({ ready: ["boss", "coder"] });
    run.child.kill("SIGINT");
    await run.until("team_stopping");
    run.child.kill("SIGINT");
    expect(await run.exited).toBe(0);
    await nothingIsLeft(stage);
  },
);

test.each(["team.sock", "rehearsal.out", "bus.db"])(
  "`up` that is interrupted removes what it has begun (%s)",
  { timeout: SLOW_MS },
  async (sign) => {
    const stage = stageOf();
    const { child, exited } = watched(stage, stage.spawn(upOf(stage)));
    await expect.poll(() => existsSync(join(stage.stateDir, sign)), { interval: 1 }).toBe(true);
    child.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);
    await nothingIsLeft(stage);
  },
);

test("`down` says that a task had to be canceled", { timeout: SLOW_MS }, async () => {
  const stage = stageOf();
  const place = ["--state-dir", stage.stateDir];
  await stage.up({ ready: ["boss"] });
  const { said, exited } = watched(stage, stage.spawn(["send", "think", ...place]));
  await expect.poll(() => said.out).toBe("a");
  const { out } = await stage.run("down", ...place);
  expect(out).toBe(
    "The team interrupted is stopped. A task that agents worked on had to be canceled.\n",
  );
  expect(await exited).toEqual([70, null]);
  // What was said so far is a line of its own.
  expect(said).toEqual({ out: "a\n", err: expect.stringMatching(/^error: boss could not finish/) });
});

test(
  "`up` stops the team in order when the reader of its output is gone",
  { timeout: SLOW_MS },
  async () => {
    const stage = stageOf();
    const { child, said, exited } = watched(stage, stage.spawn(upOf(stage)));
    await expect.poll(() => said.out).toContain("\n");
    child.stdout?.destroy();
    expect(await exited).toEqual([0, null]);
    expect(said.err).toBe("");
    await nothingIsLeft(stage);
  },
);

test("`up` stops the team in order when its terminal is closed", { timeout: SLOW_MS }, async () => {
  const stage = stageOf();
  const wrapper = join(project, "test/support/on-terminal.py");
  const command = [process.execPath, join(project, "bin/switchboard.js"), ...upOf(stage)];
  const terminal = spawn("python3", [wrapper, "80", "30", ...command], {
    env: { ...process.env, HOME: stage.root },
    stdio: ["pipe", "pipe", "ignore"],
  });
  const { said } = watched(stage, terminal);
  await expect.poll(() => said.out).toContain("starting");
  expect(said.out).toMatch(/^To talk to the lead, run in another terminal: switchboard send "…"/);
  terminal.kill("SIGKILL");
  await nothingIsLeft(stage);
  // Not by a fall: that would leave it to those who sweep.
  expect(existsSync(controlSocket(stage.stateDir))).toBe(false);
});

test("a simulation that is interrupted leaves nothing behind", { timeout: SLOW_MS }, async () => {
  const stage = stageOf();
  const args = ["simulate", stage.teamFile, stage.scriptFile, "--send", "think", "--json"];
  const simulate = stage.spawn(args, { TMPDIR: stage.root });
  const { child, said, exited } = watched(stage, simulate);
  await expect.poll(() => said.out, { timeout: 60_000 }).toContain('"turn_started"');
  child.kill("SIGINT");
  expect(await exited).toEqual([130, null]);
  await expect.poll(() => stage.processes()).toEqual([]);
  expect(namesIn(stage.root)).toEqual([]);
});

test(
  "a demo that is interrupted twice, and while it starts, removes its directory",
  { timeout: SLOW_MS },
  async () => {
    const stage = stageOf();
    const { child, said, exited } = watched(stage, stage.spawn(["demo"], { TMPDIR: stage.root }));
    await expect.poll(() => said.out).toContain("Switchboard: five agents");
    child.kill("SIGINT");
    await expect.poll(() => said.err).toBe("Stopping the team …\n");
    child.kill("SIGINT");
    expect(await exited).toEqual([0, null]);
    await expect.poll(() => stage.processes()).toEqual([]);
    expect(namesIn(stage.root)).toEqual([]);
  },
);

const namesIn = (directory: string): string[] =>
  readdirSync(directory).filter((name) => name.startsWith("switchboard-"));
