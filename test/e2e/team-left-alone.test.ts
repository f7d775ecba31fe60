import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TeamStage } from "../support/team-stage.ts";

const alone = `
name: alone
lead: lead
confirm_roles: false
timeouts: { linger: 3 }
agents:
  lead: { description: leads, prompt: p }
`;

const script = `
rules:
  - when: { user: /^hello/ }
    text: Good day.
  - when: { user: break }
    fault: { kind: http, status: 400, message: broken on purpose }
  - when: { user: ask a person }
    tools: [{ name: Bash, input: { command: touch /etc/x } }]
  - when: { user: think }
    text: Hm.
    delay_ms: 600000
`;

/** Rehearsals stay for this long without a request. */
const REHEARSAL_LINGERS_MS = 20_000;

test(
  "a killed team leaves no process for long, and the next one goes on; a failed simulation says why",
  { timeout: 300_000 },
  async () => {
    const stage = new TeamStage(alone, script);
    const first = await stage.up({ ready: ["lead"] });
    expect(await first.ask("hello")).toBe("Good day.");
    const rehearsal = stage.rehearsal.url;
    first.child.kill("SIGKILL");
    await first.exited;

    // What it has left is taken over: the session, and the rehearsal on its port.
    const second = await stage.up({ ready: ["lead"] });
    expect(stage.rehearsal.url).toBe(rehearsal);
    expect(await second.ask("hello again")).toBe("Good day.");
    const [words] = (await stage.requests("lead")).slice(-1);
    expect(JSON.stringify(words?.body?.messages)).toMatch(/"hello.*hello again/);
    second.child.kill("SIGKILL");
    await second.exited;
    const killedMs = performance.now();
    expect(stage.processes().length).toBeGreaterThan(1);

    await judgeSimulations();
    await judgeWorktreeOfSimulation();

    await expect
      .poll(() => stage.processes(), { timeout: 3 * REHEARSAL_LINGERS_MS, interval: 250 })
      .toEqual([]);
    expect(performance.now() - killedMs).toBeGreaterThan(REHEARSAL_LINGERS_MS / 2);

    // Also now the next one goes on.
    const third = await stage.up({ ready: ["lead"] });
    expect(await third.ask("hello at last")).toBe("Good day.");
    expect((await stage.run("down", "--state-dir", stage.stateDir)).code).toBe(0);
    expect(await third.exited).toBe(0);
    expect(stage.processes()).toEqual([]);
    expect(stage.sockets()).toEqual([]);
  },
);

async function judgeSimulations(): Promise<void> {
  const stage = new TeamStage(alone, script);
  const bad = join(stage.root, "bad.yaml");
  writeFileSync(bad, "rules: [{ when: { usr: x }, text: y }]");
  const poor = join(stage.root, "poor.yaml");
  writeFileSync(poor, `${alone}budget: { turns: 1 }\n`);
  const simulate = (file: string, ...flags: string[]) =>
    stage.run("simulate", stage.teamFile, file, ...flags);
  const [unexpected, missed, broken, asked, silent, invalid, refused] = await Promise.all([
    simulate(stage.scriptFile, "--send", "hello", "--expect", "Good night"),
    simulate(stage.scriptFile, "--send", "something else", "--send", "hello"),
    simulate(stage.scriptFile, "--send", "break"),
    simulate(stage.scriptFile, "--send", "ask a person"),
    simulate(stage.scriptFile, "--send", "think", "--timeout", "3"),
    simulate(bad, "--send", "hello"),
    stage.run("simulate", poor, stage.scriptFile, "--send", "hello", "--send", "hello again"),
  ]);
  expect(unexpected).toMatchObject({
    code: 70,
    out: "hello\n  → Good day.\n",
    err: expect.stringContaining('- the answer does not hold "Good night": Good day.'),
  });
  // At once, and with what came closest; nothing more is sent.
  expect(missed).toMatchObject({ code: 70, out: "" });
  expect(missed?.err).toMatch(
    /- the script had no answer for lead: no_rule_matched[^]*"something else"[^]*rule 1/,
  );
  expect(broken?.code).toBe(70);
  expect(broken?.err).toMatch(/- the lead failed: .*broken on purpose/);
  expect(asked?.code).toBe(70);
  expect(asked?.err).toContain(
    "- lead waits for a person, and no policy decides: Bash touch /etc/x",
  );
  expect(silent).toMatchObject({
    code: 75,
    err: expect.stringContaining('The lead has not answered "think" within 3 s.'),
  });
  // Not 75, which means that there was no answer in time.
  expect(refused).toMatchObject({ code: 70, out: "hello\n  → Good day.\n" });
  expect(refused?.err).toMatch(/- refused: [^]*Change the rule or the budget in the team file/);
  expect(invalid?.code).toBe(65);
  expect(invalid?.err).toMatch(/bad\.yaml:1:\d+: rules\[0\]\.when: Unknown field "usr"/);
  expect(stage.processes()).toEqual([]);
}

async function judgeWorktreeOfSimulation(): Promise<void> {
  const team = alone.replace("prompt: p", "prompt: p, worktree: true");
  const stage = new TeamStage(`${team}budget: { turns: 1 }\n`, script);
  const git = (...args: string[]): string =>
    execFileSync("git", ["-C", stage.root, "-c", "user.name=t", "-c", "user.email=t@t", ...args], {
      encoding: "utf8",
    }).trim();
  git("init", "-q");
  git("commit", "-q", "--allow-empty", "-m", "first");
  const twice = ["--send", "hello", "--send", "hello again"];
  const { code, err } = await stage.run("simulate", stage.teamFile, stage.scriptFile, ...twice);
  expect(err).toMatch(
    /Waiting for the answer to "hello" …[^]*- refused: The team has spent 1 turns of 1 turns/,
  );
  expect(code).toBe(70);
  expect(git("worktree", "list").split("\n")).toHaveLength(1);
  expect(git("branch", "--list", "switchboard/*")).toBe("");
}
