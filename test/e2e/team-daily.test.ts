import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { TeamStatus } from "../../src/wire/team/control-methods.ts";
import { ProjectStage } from "../support/project-stage.ts";

// It starts real agents several times, which a busy machine is slow at.
const SLOW_MS = 600_000;

const team = `
name: daily
lead: boss
confirm_roles: false
policy: [{ tool: "mcp__*", action: deny }]
agents:
  boss: { description: leads the work, prompt: You lead. }
`;

const answer = Array.from({ length: 30 }, (_, line) => `Line ${line + 1} of the report.`).join(" ");

const script = `
rules:
  - when: { user: report }
    text: ${answer}
    delay_ms: 5000
  - when: { user: '/say (\\w+)/' }
    text: $1
default: { text: Very well. }
`;

const filesBelow = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, encoding: "utf8" });

/** The session and the terminal of a process, as the system numbers them. */
function sessionOf(pid: number): { session: number; terminal: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.split(" ") ?? [];
  return { session: Number(fields[3]), terminal: Number(fields[4]) };
}

test(
  "a team in the background outlives its terminal, `up` shows it, and its records stay readable",
  { timeout: SLOW_MS },
  async () => {
    const stage = new ProjectStage(script);
    const project = stage.project("one", team);
    const status = async (): Promise<TeamStatus> =>
      JSON.parse((await project.run("status", "--json")).out) as TeamStatus;

    // What is wrong with a start is said in the foreground.
    const refused = await project.run("up", "-d", "team.yaml");
    expect(refused.code).toBe(77);
    expect(refused.err).toContain("no_credentials");

    const up = ["up", "-d", "--no-web", "team.yaml", "--rehearsal", stage.script];
    const begun = await project.run(...up);
    expect(begun).toMatchObject({
      code: 0,
      err: expect.stringMatching(/boss cannot use the team's own tools .*\n.*put \{ tool: /),
    });
    const { pid } = await status();
    const { stateDir } = project.state;
    const log = join(stateDir, "up.log");
    expect(begun.out).toContain(
      `daily is running in the background (process ${pid}). Its log is ${log}`,
    );
    expect(sessionOf(pid)).toEqual({ session: pid, terminal: 0 });
    expect(await project.run(...up)).toMatchObject({
      code: 0,
      out: `The team daily is running already (process ${pid}).`,
    });

    // A `send` that stops waiting prints how to get the answer, which is complete later.
    const waiting = project.spawn("send", "report please");
    await expect.poll(() => readFileSync(log, "utf8")).toMatch(/report please[^]*working/);
    waiting.child.kill("SIGINT");
    expect(await waiting.exited).toBe(130);
    const id = /switchboard cancel (\S+)/.exec(waiting.said.err)?.[1] ?? "";
    expect(waiting.said.err).toContain(`switchboard show ${id}`);
    await expect.poll(async () => (await project.run("show", id)).out).toContain(answer);

    const piped = project.spawn("send", "-");
    piped.child.stdin?.end("say piped\n");
    expect(await piped.exited).toBe(0);
    expect(piped.said.out).toBe("piped\n");
    writeFileSync(join(project.directory, "ask.txt"), "say filed");
    expect(await project.run("send", "--file", "ask.txt")).toMatchObject({ out: "filed", err: "" });

    const shown = project.spawn("up", "--no-web", "team.yaml", "--rehearsal", stage.script);
    await expect.poll(() => shown.said.out).toMatch(/Ctrl\+C leaves it running[^]*filed/);
    shown.child.kill("SIGINT");
    expect(await shown.exited).toBe(0);
    expect(shown.said.out).toContain("The team goes on.");
    expect((await status()).pid).toBe(pid);
    expect(readFileSync(log, "utf8")).toContain("filed");

    // Killed: the newest writes are in SQLite's log only, and its agents are still there.
    process.kill(pid, "SIGKILL");
    await expect.poll(() => stage.processes()).not.toContain(pid);
    const before = stage.processes();
    let life = "has no process, and these agents still run: boss; last seen ";
    const read = async (...args: string[]): Promise<string> => {
      const { code, out, err } = await project.run(...args);
      expect(err).toContain(`The team daily of ${project.directory} ${life}`);
      expect(code).toBe(0);
      return out;
    };
    const killed = await project.run("status");
    expect(killed.out).toMatch(
      /^Team daily has no process; last seen [^]*boss \(lead\) +still runs .* 3 .*leads the work/,
    );
    expect(killed.out).toContain("'switchboard up' takes them over; 'switchboard down' ends them.");
    expect(await read("tasks", "--all")).toMatch(/completed +user +boss +report please/);
    expect(await read("log")).toContain("task_request");
    expect(await read("dlq")).toBe("No dead letters.");
    expect(await read("approvals")).toBe("No agent waits for a decision.");
    expect(await read("tail")).toContain("filed");
    expect(await read("show")).toMatch(/say filed[^]*filed$/);
    expect(stage.processes().filter((each) => !before.includes(each))).toEqual([]);
    expect(await project.run("send", "hi")).toMatchObject({
      code: 69,
      err: expect.stringContaining(`cd ${project.directory} && switchboard up`),
    });

    // A reader does not hold up the start.
    const again = project.spawn(...up);
    while (again.child.exitCode === null) {
      expect(await project.run("log")).toMatchObject({ code: 0 });
    }
    expect(await again.exited).toBe(0);
    expect((await project.run("send", "say again")).out).toBe("again");
    expect(await project.newestContext("boss")).toContain("say piped");
    expect((await project.run("down")).out).toContain("The team daily is stopped.");
    await expect.poll(() => stage.processes()).toEqual([]);
    life = "is stopped; last seen ";
    expect(await read("tasks", "--all")).toContain("say again");
    const stopped = await project.run("status");
    expect(stopped.out).toMatch(/^Team daily is stopped; last seen [^]*boss \(lead\) +stopped /);

    // Of a team that was killed, down ends the agents that wait for its next process, and removes their sockets.
    expect(await project.run(...up)).toMatchObject({ code: 0 });
    expect((await project.run("send", "say once")).out).toBe("once");
    process.kill((await status()).pid, "SIGKILL");
    expect(await project.run("down")).toMatchObject({
      code: 0,
      out: expect.stringContaining("still running: boss. They are stopped now."),
    });
    expect(stage.processes()).toEqual([]);
    expect(filesBelow(stateDir).filter((file) => file.endsWith(".sock"))).toEqual([]);
    expect(await project.run("down")).toMatchObject({
      code: 69,
      err: expect.stringContaining("There is nothing to stop."),
    });
  },
);
