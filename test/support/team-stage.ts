import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { RehearsalClient } from "../../src/rehearsal/rehearsal-client.ts";
import type { LogLevel } from "../../src/log/logger.ts";
import type { JournalEntry } from "../../src/rehearsal/journal.ts";
import { pathsOfAgent } from "../../src/team/host/local/agent-paths.ts";
import type { TeamClient } from "../../src/team/core.ts";
import { connectTeamOnce } from "./connect-team.ts";
import { controlSocket } from "../../src/team/state-dir/control-socket-path.ts";
import type { TeamEvent } from "../../src/wire/team/events.ts";
import { tempDir } from "./temp-dir.ts";
import { Trail } from "./trail.ts";

const READY_MS = 60_000;

const program = fileURLToPath(new URL("../../bin/switchboard.js", import.meta.url));

/** A rule that every script of a team needs. */
export const roleRule = `
  - when: { peer: '/Role check.*you are (\\w+)/' }
    text: I am $1.`;

export interface UpOptions {
  /** Agents to wait for. */
  ready: string[];
  /** Another team file than that of the stage. */
  file?: string;
  /** How long they may take; the team file may allow them more than the usual. */
  readyMs?: number;
  script?: string;
  /** How much the team's process logs. */
  log?: LogLevel;
  /** Further arguments of `up`. */
  args?: string[];
  env?: Record<string, string>;
}

/** A place for a team: its files, its state, and a directory to work in. */
export class TeamStage {
  readonly root = tempDir();
  readonly stateDir = join(this.root, "state");
  readonly work = join(this.root, "work");
  readonly teamFile = join(this.root, "team.yaml");
  readonly scriptFile = join(this.root, "script.yaml");
  /** Every process of the team so far. */
  readonly runs: TeamRun[] = [];

  constructor(team: string, script: string) {
    writeFileSync(this.teamFile, team);
    writeFileSync(this.scriptFile, script);
  }

  /** For a script that needs to know where the stage is. */
  writeScript(script: string): void {
    writeFileSync(this.scriptFile, script);
  }

  /** Runs the command, to its end. */
  run(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
    return this.runWith("", ...args);
  }

  /** The same, with something on its standard input. */
  async runWith(
    input: string,
    ...args: string[]
  ): Promise<{ code: number | null; out: string; err: string }> {
    const child = this.spawn(args, {}, input === "" ? "ignore" : "pipe");
    child.stdin?.end(input);
    let out = "";
    let err = "";
    child.stdout?.on("data", (chunk) => (out += String(chunk)));
    child.stderr?.on("data", (chunk) => (err += String(chunk)));
    const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
    return { code, out, err };
  }

  spawn(
    args: string[],
    more: Record<string, string> = {},
    stdin: "ignore" | "pipe" = "ignore",
    { cwd = this.root, through = [] }: { cwd?: string; through?: readonly string[] } = {},
  ): ChildProcess {
    const { ANTHROPIC_API_KEY: _, CLAUDE_CONFIG_DIR: __, ...env } = process.env;
    const [command, ...rest] = [...through, process.execPath, program, ...args];
    return spawn(command!, rest, {
      cwd,
      env: { ...env, HOME: this.root, XDG_STATE_HOME: join(this.root, "xdg"), ...more },
      stdio: [stdin, "pipe", "pipe"],
    });
  }

  /** Starts the team, and waits until the given agents are ready. */
  async up({
    ready,
    file = this.teamFile,
    readyMs = READY_MS,
    script = this.scriptFile,
    log = "warn",
    args = [],
    env = {},
  }: UpOptions): Promise<TeamRun> {
    const place = ["--rehearsal", script, "--state-dir", this.stateDir];
    let run: TeamRun | undefined;
    // Before it is started: when the test is over, this throws, and nothing is left behind.
    onTestFinished(() => run?.end());
    const child = this.spawn(["up", file, "--json", "--no-web", ...place, ...args], {
      SWITCHBOARD_LOG: log,
      ...env,
    });
    run = new TeamRun(this, child);
    this.runs.push(run);
    for (const agent of ready) await run.ready(agent, 0, readyMs);
    return run;
  }

  get rehearsal(): RehearsalClient {
    const { url } = JSON.parse(readFileSync(join(this.stateDir, "rehearsal.json"), "utf8")) as {
      url: string;
    };
    return new RehearsalClient(url);
  }

  /** The requests of the conversations, of one agent. */
  async requests(agent: string): Promise<JournalEntry[]> {
    const journal = await this.rehearsal.journal();
    return journal.filter((entry) => entry.kind === "main" && entry.agent === agent);
  }

  /** Every process that has to do with this stage. */
  processes(): { pid: number; command: string }[] {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => {
        try {
          const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
          const environment = readFileSync(`/proc/${pid}/environ`, "utf8");
          const isOurs = command.includes(this.root) || environment.includes(this.root);
          const config = /CLAUDE_CONFIG_DIR=([^\0]*)/.exec(environment)?.[1] ?? "";
          return isOurs ? [{ pid: Number(pid), command: `${command} ${config}/` }] : [];
        } catch {
          return [];
        }
      });
  }

  /** Whatever they are called: one that is bound under another name and never moved is also left behind. */
  sockets(): string[] {
    const places = new Set([
      this.stateDir,
      // They lie elsewhere when the path of the state directory is long.
      ...namesIn(join(this.stateDir, "agents")).map((id) =>
        dirname(pathsOfAgent(this.stateDir, id).tools),
      ),
    ]);
    return [...new Set([...places].flatMap(socketsIn))];
  }
}

const namesIn = (directory: string): string[] =>
  existsSync(directory) ? readdirSync(directory) : [];

const socketsIn = (directory: string): string[] =>
  existsSync(directory)
    ? readdirSync(directory, { recursive: true, encoding: "utf8" })
        .map((name) => join(directory, name))
        .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true)
    : [];

/** A team's process, with all that it told. */
export class TeamRun extends Trail<TeamEvent> {
  readonly stage: TeamStage;
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
  #errors = "";
  #rest = "";

  constructor(stage: TeamStage, child: ChildProcess) {
    super();
    this.stage = stage;
    this.child = child;
    this.exited = new Promise((resolve) => child.on("close", resolve));
    child.stderr?.on("data", (chunk) => (this.#errors += String(chunk)));
    child.stdout?.on("data", (chunk) => {
      const lines = (this.#rest + String(chunk)).split("\n");
      this.#rest = lines.pop() ?? "";
      for (const line of lines) if (line !== "") this.add(JSON.parse(line) as TeamEvent);
    });
  }

  get errors(): string {
    return this.#errors;
  }

  /** Resolves when the log says this so often from now on, plus once. */
  async logged(words: string, skip: number): Promise<void> {
    let from = this.#errors.length;
    for (let left = skip; left >= 0;) {
      const found = this.#errors.indexOf(words, from);
      if (found === -1) await new Promise((resolve) => this.child.stderr?.once("data", resolve));
      else {
        from = found + words.length;
        left -= 1;
      }
    }
  }

  async ready(agent: string, since = 0, withinMs = READY_MS): Promise<void> {
    try {
      await this.until("agent_state", {
        since,
        fits: (event) => event.agent === agent && event.state === "ready",
        withinMs,
      });
    } catch (error) {
      throw new Error(`${agent} is not ready. ${this.#errors}`, { cause: error });
    }
  }

  /** Says something to the lead, and waits for the answer. */
  async ask(text: string): Promise<string> {
    const { stage } = this;
    const { code, out, err } = await stage.run(
      "send",
      text,
      "--json",
      "--state-dir",
      stage.stateDir,
    );
    if (out === "") throw new Error(`no answer (${code}): ${err} ${this.#errors}`);
    return (JSON.parse(out) as { text: string }).text;
  }

  connect(): Promise<TeamClient> {
    return connectTeamOnce(controlSocket(this.stage.stateDir));
  }

  async end(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill("SIGTERM");
    await Promise.race([this.exited, delay(20_000)]);
    // What a failed test has left: only what carries this stage's own directory.
    for (const { pid } of this.stage.processes()) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It has just ended.
      }
    }
  }
}
