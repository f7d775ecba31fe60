import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { loadTeam } from "../../src/team/file/load-team.ts";
import type { TeamEvent } from "../../src/wire/team/events.ts";
import type { Task } from "../../src/wire/team/task.ts";
import type { Brain } from "../support/fake-agent.ts";
import { FakeTeam } from "../support/fake-team.ts";
import { TeamStage } from "../support/team-stage.ts";

// It starts many processes, which a busy machine is slow at.
const SLOW_MS = 300_000;

const yaml = `
lead: boss
timeouts: { idle: 600 }
agents:
  boss: { description: leads, prompt: p }
`;

/** A person's place, in which teams are found by their names. */
class Home {
  readonly stage = new TeamStage("", "");

  start(name: string, boss: Brain): Promise<FakeTeam> {
    const stateDir = join(this.stage.root, "xdg/switchboard/teams", name);
    return FakeTeam.up(yaml, { boss }, { stateDir });
  }

  async cli(...args: string[]): Promise<{ out: string; err: string; code: number | null }> {
    const { out, err, code } = await this.stage.run(...args);
    return { out: out.trim(), err: err.trim(), code };
  }

  follow(...args: string[]): { child: ChildProcess; said: { out: string; err: string } } {
    const child = this.stage.spawn(args, {}, "pipe");
    onTestFinished(() => void child.kill("SIGKILL"));
    const said = { out: "", err: "" };
    child.stdout?.on("data", (chunk) => (said.out += String(chunk)));
    child.stderr?.on("data", (chunk) => (said.err += String(chunk)));
    return { child, said };
  }
}

test("a command finds the only running team; without one, or with several, it says so", async () => {
  const home = new Home();
  expect(await home.cli("status")).toMatchObject({
    code: 69,
    err: expect.stringMatching(/No team is running, and none belongs to [^]*switchboard up/),
  });
  const one = await home.start("one", () => "I am one.");
  expect(await home.cli("send", "who?")).toMatchObject({ code: 0, out: "I am one." });
  const two = await home.start("two", () => "I am two.");
  const several = await home.cli("status");
  expect(several.code).toBe(64);
  expect(several.err).toMatch(/There are several teams:\n {2}one +running .*\n {2}two +running /);
  expect(several.err).toContain(`--state-dir ${one.stateDir}`);
  for (const flags of [
    ["--state-dir", two.stateDir],
    ["--team", two.stateDir],
    ["--team", "two"],
  ]) {
    expect((await home.cli("send", "who?", ...flags)).out).toBe("I am two.");
  }
  expect((await home.cli("status", "--team", "three")).err).toMatch(
    /There is no team named three\. Known teams:\n {2}one /,
  );
  // What a team has left behind is no team.
  await one.stop();
  expect((await home.cli("send", "who?")).out).toBe("I am two.");
});

test(
  "tail shows new and earlier events; approve allows a call, and cancel cancels a task",
  { timeout: SLOW_MS },
  async () => {
    const home = new Home();
    const team = await home.start("one", (said, self) =>
      said === "may I?"
        ? self.askLeave("Bash", { command: "ls" })
        : new Promise<string>((resolve) => said === "hello" && resolve("Good day.")),
    );
    await team.ask("hello");
    const live = home.follow("tail");
    const before = home.follow("tail", "--since", "0", "--json");
    expect(await home.cli("tail", "--since", "99999")).toMatchObject({
      code: 64,
      out: "",
      err: expect.stringMatching(/There is no event 99999 yet: the newest is \d+\./),
    });
    const { timeline } = team.running.teamRecords;
    const isLive = (): boolean => {
      timeline.append({ type: "notice", level: "error", message: "Are you there?" });
      return live.said.out.includes("Are you there?");
    };
    await expect.poll(isLive, { interval: 500 }).toBe(true);
    const told = (): TeamEvent[] =>
      before.said.out
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line) as TeamEvent);
    await expect.poll(() => told().map(({ type }) => type)).toContain("answered");
    expect(told().map(({ seq }) => seq)).toEqual(told().map((_, index) => index + 1));

    const leave = home.follow("send", "may I?");
    const { request } = await team.until("approval_requested");
    expect(await home.cli("approve", "toolu_other")).toMatchObject({ code: 65 });
    expect((await home.cli("approve", request.request_id)).out).toBe("Allowed.");
    await expect.poll(() => leave.said.out).toBe("allowed\n");
    expect(await team.until("approval_resolved")).toMatchObject({ outcome: "allowed" });
    const decisions = await home.cli("approvals", "--decided");
    expect(decisions.out).toMatch(/^ID +AGENT +WHEN +DECISION +WHAT\n/);
    expect(decisions.out).toMatch(
      new RegExp(`${request.request_id} +boss +[-0-9 :]+ +allowed by .*command line\\) +Bash ls$`),
    );

    const since = team.told.length;
    const waiting = home.follow("send", "think for ever");
    await team.until("turn_started", { since });
    const [line = ""] = (await home.cli("tasks", "--json")).out.split("\n");
    const { id, title } = JSON.parse(line) as Task;
    expect(title).toBe("think for ever");
    expect((await home.cli("cancel", id)).out).toBe("Canceled.");
    await expect.poll(() => waiting.said.err).toContain("The task was canceled by");
    expect(await home.cli("cancel", id)).toMatchObject({
      code: 65,
      err: expect.stringContaining("'switchboard tasks' lists the open ones."),
    });

    // One line each, for what happened since; it ends when it is told to, or with the team.
    await expect
      .poll(() => live.said.out)
      .toMatch(/\d\d:\d\d:\d\d boss .*allowed by .*command line/);
    expect(live.said.out).not.toContain("Good day.");
    const [interrupted, ended] = [live, before].map(({ child }) => once(child, "close"));
    live.child.kill("SIGINT");
    expect(await interrupted).toEqual([0, null]);
    await team.stop();
    expect(await ended).toEqual([0, null]);
  },
);

test("`switchboard attach` talks to the lead in its own session", async () => {
  const home = new Home();
  const team = await home.start("one", (said) => `You say: ${said}`);
  const { child, said } = home.follow("attach", "boss");
  child.stdin?.write("good morning\n");
  await expect.poll(() => said.out).toContain("You say: good morning");
  const ended = once(child, "close");
  child.stdin?.end();
  expect(await ended).toEqual([0, null]);
  expect(team.agent("boss").heard).toEqual(["good morning"]);
});

const subagent = (name: string, prompt: string): string =>
  `---\nname: ${name}\ndescription: does ${name}\n---\n${prompt}\n`;

test("init --from-claude writes a team of the project's and the user's sub-agents, and says which it left out", async () => {
  const home = new Home();
  const { root } = home.stage;
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  // The program's home is the stage's.
  vi.stubEnv("CLAUDE_CONFIG_DIR", join(root, ".claude"));
  const project = join(root, "project");
  mkdirSync(project);
  const file = join(project, "team.yaml");
  expect(await home.cli("init", file, "--from-claude")).toMatchObject({
    code: 64,
    err: expect.stringContaining("There are no sub-agents in"),
  });
  expect(existsSync(file)).toBe(false);

  put("project/.claude/agents/tester.md", subagent("tester", "Project."));
  put(".claude/agents/tester.md", subagent("tester", "User."));
  put(".claude/agents/lead.md", subagent("lead", "A lead of theirs."));
  put(".claude/agents/user.md", subagent("user", "A name that is taken."));
  put(".claude/agents/broken.md", "---\nname: broken\n---\nx");
  expect(await home.cli("init", file, "--from-claude")).toMatchObject({
    code: 0,
    out: `Wrote ${file} with the agents lead-2, tester, lead, user-2. Edit it, then: switchboard up ${file}`,
    err: `left out: ${root}/.claude/agents/broken.md:2:1: description: It is missing: say what the sub-agent is for.`,
  });
  const text = readFileSync(file, "utf8");
  expect(text).toMatch(/^# yaml-language-server: \$schema=/);
  const team = await loadTeam(file, project);
  expect(team.lead).toBe("lead-2");
  expect([...team.agents.values()].map(({ id, prompt }) => [id, prompt]).slice(1)).toEqual([
    ["tester", "Project."],
    ["lead", "A lead of theirs."],
    ["user-2", "A name that is taken."],
  ]);
  expect(await home.cli("init", file, "--from-claude")).toMatchObject({ code: 64 });
  expect(readFileSync(file, "utf8")).toBe(text);
  const other = join(project, "other.yaml");
  expect(JSON.parse((await home.cli("init", other, "--from-claude", "--json")).out)).toEqual({
    file: other,
    agents: ["lead-2", "tester", "lead", "user-2"],
    warnings: [expect.stringContaining("broken.md:2:1")],
  });
});

test("init writes a team file that can be used, and overwrites no file", async () => {
  const home = new Home();
  const path = (name: string): string => join(home.stage.root, name);
  const file = path("mine.yaml");
  expect(await home.cli("init", "mine.yaml")).toMatchObject({
    code: 0,
    out: "Wrote mine.yaml. Edit it, then: switchboard up mine.yaml",
  });
  // The directory of a stage has a name of its own.
  const name = basename(home.stage.root);
  expect(await loadTeam(file)).toMatchObject({ name, lead: "lead" });
  const text = readFileSync(file, "utf8");
  const [, schema = ""] = /^# yaml-language-server: \$schema=(.+)\n/.exec(text) ?? [];
  expect(JSON.parse(readFileSync(schema, "utf8"))).toMatchObject({ title: expect.any(String) });
  expect(await home.cli("init", "mine.yaml", "--team", "pair")).toMatchObject({
    code: 64,
    err: expect.stringContaining("mine.yaml cannot be written"),
  });
  expect(readFileSync(file, "utf8")).toBe(text);
  expect((await home.cli("init", "five.yaml", "--team", "five-roles", "--json")).out).toBe(
    '{"file":"five.yaml"}',
  );
  expect([...(await loadTeam(path("five.yaml"))).agents.keys()]).toHaveLength(5);
  expect(await home.cli("init", "no/such/place.yaml")).toMatchObject({
    code: 64,
    err: expect.stringContaining("Make the directory first"),
  });
  expect(existsSync(path("no"))).toBe(false);
});
