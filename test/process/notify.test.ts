import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { seededRandom } from "../../src/rehearsal/seeded-random.ts";
import { FakeTeam } from "../support/fake-team.ts";
import { WebhookServer } from "../support/webhook-server.ts";

const program = fileURLToPath(new URL("../../bin/switchboard.js", import.meta.url));
const SEED = Number(process.env["NOTIFY_STORM_SEED"] ?? 1);
const ROUNDS = 50;

const yaml = `
lead: boss
agents:
  boss: { description: leads, prompt: p }
`;

interface Started {
  readonly child: ChildProcess;
  readonly said: { out: string; err: string };
  readonly exited: Promise<unknown>;
}

/** `switchboard notify` for this team, as a person starts it. */
function notify(
  team: FakeTeam,
  args: readonly string[],
  env: Record<string, string> = {},
): Started {
  const all = ["notify", "--state-dir", team.stateDir, ...args];
  const child = spawn(process.execPath, [program, ...all], {
    env: { PATH: process.env["PATH"] ?? "", HOME: team.root, XDG_STATE_HOME: team.root, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { out: "", err: "" };
  child.stdout.on("data", (chunk) => (said.out += String(chunk)));
  child.stderr.on("data", (chunk) => (said.err += String(chunk)));
  const exited = once(child, "close");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  return { child, said, exited };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test(
  "over 50 random kills of `switchboard notify` and restarts of the team each call is told once",
  { timeout: 180_000 },
  async () => {
    const random = seededRandom(SEED);
    const team = await FakeTeam.up(yaml, {});
    const server = await new WebhookServer().start();
    const env = { SWITCHBOARD_WEBHOOK: `${server.url}/T0/secret` };
    const start = () => notify(team, ["--webhook", "--only", "calls"], env);
    let running = start();
    let killAt: "before the answer" | "after the answer" | undefined;
    server.answer = () => {
      if (killAt === undefined) return 200;
      const when = killAt;
      killAt = undefined;
      done.inTheMiddle += 1;
      if (when === "after the answer") setImmediate(() => running.child.kill("SIGKILL"));
      else running.child.kill("SIGKILL");
      return 200;
    };
    const decided = new Set<string>();
    const done = { killed: 0, inTheMiddle: 0, restarted: 0 };
    const ask = (round: number): void => {
      void team.agent("boss").askLeave("Bash", { command: `call ${round}` });
    };
    for (let round = 1; round <= ROUNDS; round += 1) {
      ask(round);
      const what = random();
      if (what < 0.2) {
        await team.stop();
        await team.start();
        done.restarted += 1;
      } else if (what < 0.4) {
        // The person decides on one that may not have been told yet.
        const request_id = `toolu_boss_${round}`;
        await team.until("approval_requested", {
          fits: ({ request }) => request.request_id === request_id,
        });
        await using person = await team.connect();
        await person.request("approve", { request_id });
        decided.add(`call ${round}`);
      }
      if (random() < 0.7) {
        const before = server.calls.length;
        killAt = random() < 0.5 ? "before the answer" : "after the answer";
        // A call that was decided is not told, so there may be nothing to wait for.
        await Promise.race([running.exited, pause(3_000)]);
        killAt = undefined;
        if (server.calls.length === before) running.child.kill("SIGKILL");
      } else await pause(400 * random());
      running.child.kill("SIGKILL");
      await running.exited;
      done.killed += 1;
      running = start();
    }
    const commands = Array.from({ length: ROUNDS }, (_, index) => `call ${index + 1}`);
    const tellings = (command: string) =>
      server.calls.filter(({ body }) => body["text"] === `command: ${command}`);
    const untold = () =>
      commands.filter((each) => !decided.has(each) && tellings(each).length === 0);
    await expect.poll(untold, { timeout: 60_000 }).toEqual([]);
    running.child.kill("SIGTERM");
    await running.exited;
    expect(done.killed).toBe(ROUNDS);
    expect(done.inTheMiddle).toBeGreaterThan(10);
    expect(done.restarted).toBeGreaterThan(3);
    for (const command of commands) {
      const each = tellings(command);
      const ids = new Set(each.map(({ headers }) => headers["idempotency-key"]));
      expect(ids.size).toBeLessThanOrEqual(1);
      // A second time only when the first was cut off, and it says so: a service that knows the key shows one.
      expect(each.slice(1).filter(({ body }) => body["repeated"] !== true)).toEqual([]);
    }
    const all = server.calls.map(({ headers }) => String(headers["idempotency-key"]));
    expect(new Set(all).size).toBeGreaterThanOrEqual(ROUNDS - decided.size);
    // Those that were cut off before the answer were told again.
    expect(all.length).toBeGreaterThan(new Set(all).size);
    expect(running.said.err).toBe("");
  },
);

test(
  "with `--if-unsure skip` a call is never told twice, whenever the notifier is killed",
  { timeout: 120_000 },
  async () => {
    const team = await FakeTeam.up(yaml, {});
    const server = await new WebhookServer().start();
    const env = { SWITCHBOARD_WEBHOOK: server.url };
    const start = () => notify(team, ["--webhook", "--if-unsure", "skip"], env);
    let running = start();
    let kills = 4;
    server.answer = () => {
      kills -= 1;
      if (kills >= 0) running.child.kill("SIGKILL");
      return 200;
    };
    for (let round = 1; round <= 6; round += 1) {
      void team.agent("boss").askLeave("Bash", { command: `call ${round}` });
    }
    for (let round = 0; round < 4; round += 1) {
      await running.exited;
      running = start();
    }
    await expect.poll(() => server.calls.length).toBe(6);
    running.child.kill("SIGTERM");
    await running.exited;
    expect(new Set(server.ids).size).toBe(6);
  },
);

test(
  "a notifier shows its secrets to no child and in no file, and a second one for the same is refused",
  { timeout: 60_000 },
  async () => {
    const team = await FakeTeam.up(yaml, {});
    const server = await new WebhookServer().start();
    const file = join(team.root, "hook");
    writeFileSync(file, `${server.url}/T0/secret\n`);
    const first = notify(team, ["--webhook-file", file, "--format", "discord", "--json"]);
    void team.agent("boss").askLeave("Bash", { command: "make" });
    await expect.poll(() => server.calls.length).toBe(1);
    await expect.poll(() => first.said.out).toContain('"kind":"asked"');
    expect(server.calls[0]?.path).toBe("/T0/secret");
    const second = notify(team, ["--webhook", `${server.url}/T0/secret`, "--format", "discord"]);
    await second.exited;
    expect([second.child.exitCode, second.said.err]).toEqual([
      73,
      expect.stringContaining("runs already"),
    ]);
    first.child.kill("SIGTERM");
    await first.exited;
    expect(first.child.exitCode).toBe(0);
    const directory = join(team.stateDir, "notify");
    for (const name of readdirSync(directory)) {
      expect(readFileSync(join(directory, name), "utf8")).not.toContain("secret");
    }
    expect(first.said.out + first.said.err + second.said.err).not.toContain("secret");

    // A program is run without the secret, which may be in the environment of the notifier for another one.
    const out = join(team.root, "out");
    const tell = join(team.root, "tell");
    writeFileSync(tell, `#!/bin/sh\nenv > "${out}"\n`, { mode: 0o755 });
    const secrets = {
      SWITCHBOARD_WEBHOOK: "https://h/secret",
      SWITCHBOARD_WEBHOOK_TOKEN: "secret",
    };
    const third = notify(team, ["--run", tell, "--once"], { ...secrets, MINE: "1" });
    await third.exited;
    expect([third.child.exitCode, third.said.err]).toEqual([0, ""]);
    expect(third.said.out).toMatch(/^\d\d:\d\d:\d\d told: fake: boss wants to use Bash\n$/);
    const variables = readFileSync(out, "utf8");
    expect(variables).toContain("SWITCHBOARD_NOTIFY_TITLE=boss wants to use Bash\n");
    expect([variables.includes("MINE=1"), variables.includes("secret")]).toEqual([true, false]);
  },
);

test("wrong calls of `switchboard notify` say what to do", { timeout: 60_000 }, async () => {
  const team = await FakeTeam.up(yaml, {});
  const ends = async (...args: string[]) => {
    const { child, said, exited } = notify(team, args);
    await exited;
    return [child.exitCode, said.err];
  };
  expect(await ends()).toEqual([64, expect.stringContaining("--run PROGRAM or --webhook URL")]);
  expect(await ends("--webhook")).toEqual([64, expect.stringContaining("$SWITCHBOARD_WEBHOOK")]);
  expect(await ends("--webhook", "nothing")).toEqual([64, expect.stringContaining("no http")]);
  expect(await ends("--run", "no-such-program")).toEqual([
    71,
    expect.stringContaining("no program"),
  ]);
  expect(await ends("--webhook-file", "/nonexistent")).toEqual([
    64,
    expect.stringContaining("there is no such file"),
  ]);
  const refusing = await new WebhookServer().start();
  refusing.answer = () => 404;
  void team.agent("boss").askLeave("Bash", { command: "make" });
  await team.until("approval_requested");
  expect(await ends("--webhook", refusing.url, "--once")).toEqual([
    69,
    expect.stringContaining("The webhook answered 404."),
  ]);
  expect(existsSync(join(team.stateDir, "notify"))).toBe(true);
});
