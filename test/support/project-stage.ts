import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished, vi } from "vitest";
import { RehearsalClient } from "../../src/rehearsal/rehearsal-client.ts";
import type { KnownTeam } from "../../src/team/state-dir/known-teams.ts";
import { knownTeams } from "../../src/team/state-dir/known-teams.ts";
import { tempDir } from "./temp-dir.ts";

const program = fileURLToPath(new URL("../../bin/switchboard.js", import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Started {
  readonly child: ChildProcess;
  readonly said: { out: string; err: string };
  readonly exited: Promise<number | null>;
}

/** A person's machine with several projects, and the commands as they are typed there. */
export class ProjectStage {
  readonly root = tempDir();
  readonly teams = join(this.root, "xdg/switchboard/teams");
  readonly script = join(this.root, "script.yaml");

  constructor(script: string) {
    writeFileSync(this.script, script);
    onTestFinished(() => {
      for (const pid of this.processes()) process.kill(pid, "SIGKILL");
    });
  }

  /** A directory with a team file. */
  project(name: string, team: string): Project {
    const directory = join(this.root, name);
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, "team.yaml"), team);
    return new Project(this, directory);
  }

  spawn(cwd: string, args: readonly string[], env: Record<string, string> = {}): Started {
    const { ANTHROPIC_API_KEY: _, CLAUDE_CONFIG_DIR: __, ...rest } = process.env;
    const child = spawn(process.execPath, [program, ...args], {
      cwd,
      env: { ...rest, HOME: this.root, XDG_STATE_HOME: join(this.root, "xdg"), ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    const said = { out: "", err: "" };
    child.stdout.on("data", (chunk) => (said.out += String(chunk)));
    child.stderr.on("data", (chunk) => (said.err += String(chunk)));
    const exited = new Promise<number | null>((resolve) => child.on("close", resolve));
    return { child, said, exited };
  }

  /** Runs a command to its end. */
  async run(
    cwd: string,
    args: readonly string[],
    env: Record<string, string> = {},
  ): Promise<Ended> {
    const { child, said, exited } = this.spawn(cwd, args, env);
    child.stdin?.end();
    return { code: await exited, out: said.out.trim(), err: said.err.trim() };
  }

  /** Every process that was started here, whatever has become of its parent. */
  processes(): number[] {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .filter((pid) => {
        try {
          const facts = ["cmdline", "environ"].map((file) => readFileSync(`/proc/${pid}/${file}`));
          return facts.some((fact) => fact.includes(this.root));
        } catch {
          return false;
        }
      })
      .map(Number);
  }
}

/** One directory with a team. */
export class Project {
  readonly stage: ProjectStage;
  readonly directory: string;

  constructor(stage: ProjectStage, directory: string) {
    this.stage = stage;
    this.directory = directory;
  }

  run(...args: string[]): Promise<Ended> {
    return this.stage.run(this.directory, args);
  }

  spawn(...args: string[]): Started {
    return this.stage.spawn(this.directory, args);
  }

  /** Starts the team on the stage's script; resolves when it can be talked to. */
  async up(...flags: string[]): Promise<Started> {
    const started = this.spawn(
      "up",
      "team.yaml",
      "--no-web",
      "--rehearsal",
      this.stage.script,
      ...flags,
    );
    await vi.waitFor(
      () => {
        if (!/ready|running already/.test(started.said.out)) throw new Error(started.said.err);
      },
      { timeout: 60_000, interval: 50 },
    );
    return started;
  }

  /** The state of the project's team. */
  get state(): KnownTeam {
    const found = knownTeams(this.stage.teams).find(({ directories }) =>
      directories.includes(this.directory),
    );
    if (!found) throw new Error(`no team belongs to ${this.directory}`);
    return found;
  }

  /** All that an agent's model was given with its newest request. */
  async newestContext(agent: string): Promise<string> {
    const note = readFileSync(join(this.state.stateDir, "rehearsal.json"), "utf8");
    const journal = await new RehearsalClient((JSON.parse(note) as { url: string }).url).journal();
    const requests = journal.filter((entry) => entry.kind === "main" && entry.agent === agent);
    return JSON.stringify(requests.at(-1)?.body?.messages);
  }
}
