import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { TeamClient } from "../../../src/team/core.ts";
import { controlSocket } from "../../../src/team/state-dir/control-socket-path.ts";
import { connectTeamOnce } from "../../support/connect-team.ts";

const program = resolve(import.meta.dirname, "../../../bin/switchboard.js");
const WITHIN_MS = 60_000;

interface Said {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A real team with its real gateway, as `switchboard up` starts them. One for all tests of a file: `stop` it afterwards. */
export class BrowserTeam {
  readonly root: string;
  readonly stateDir: string;
  readonly work: string;
  #child: ChildProcess | undefined;
  #said = "";

  private constructor(team: string, script: string, root: string) {
    this.root = root;
    this.stateDir = join(root, "state");
    this.work = join(root, "work");
    mkdirSync(this.work);
    writeFileSync(join(this.root, "team.yaml"), team);
    writeFileSync(join(this.root, "script.yaml"), script);
  }

  /** @param root A directory that goes away with the team. */
  static async start(
    team: string,
    script: string,
    root = mkdtempSync(join(tmpdir(), "browser-team-")),
  ): Promise<BrowserTeam> {
    const started = new BrowserTeam(team, script, root);
    try {
      await started.up();
      return started;
    } catch (error) {
      await started.stop();
      throw error;
    }
  }

  /** Also again, after its process was killed. */
  async up(): Promise<void> {
    const script = join(this.root, "script.yaml");
    const args = ["up", join(this.root, "team.yaml"), "--rehearsal", script];
    const child = this.#spawn([...args, "--state-dir", this.stateDir]);
    this.#said = "";
    child.stdout?.on("data", (chunk) => (this.#said += String(chunk)));
    child.stderr?.on("data", (chunk) => (this.#said += String(chunk)));
    this.#child = child;
    await this.#until(() => this.#said.includes("#enter="), "the team has a page");
    await this.#until(async () => {
      await using team = await this.client();
      const { agents } = await team.request("status", {});
      return agents.every(({ state }) => !["starting", "confirming"].includes(state));
    }, "its agents are ready");
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** The process that serves the page now. */
  get gatewayPid(): number {
    const isIt = (pid: string): boolean => {
      try {
        const args = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
        return args.includes("--no-link") && args.includes(this.stateDir);
      } catch {
        return false;
      }
    };
    return Number(readdirSync("/proc").find((name) => /^\d+$/.test(name) && isIt(name)) ?? 0);
  }

  client(): Promise<TeamClient> {
    return connectTeamOnce(controlSocket(this.stateDir));
  }

  /** A link that works once. */
  async link(...flags: string[]): Promise<string> {
    const { out, err } = await this.cli("web", "link", ...flags);
    if (!out.startsWith("http")) throw new Error(err);
    return out;
  }

  /** A command of a person at the terminal. */
  async cli(...args: string[]): Promise<Said> {
    const last = args.indexOf("--") < 0 ? args.length : args.indexOf("--");
    const placed = args.toSpliced(last, 0, "--state-dir", this.stateDir);
    const child = this.#spawn(placed);
    let [out, err] = ["", ""];
    child.stdout?.on("data", (chunk) => (out += String(chunk)));
    child.stderr?.on("data", (chunk) => (err += String(chunk)));
    const [code] = (await once(child, "close")) as [number | null];
    return { code, out: out.trimEnd(), err: err.trimEnd() };
  }

  async killTeam(): Promise<void> {
    const child = this.#child;
    child?.kill("SIGKILL");
    if (child?.exitCode === null && child.signalCode === null) await once(child, "close");
  }

  /** Its process ends in order; `up` starts it again. */
  async down(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, "close");
    child.kill("SIGTERM");
    await closed;
  }

  /** The next `up` reads another file. */
  rewrite(team: string): void {
    writeFileSync(join(this.root, "team.yaml"), team);
  }

  async stop(): Promise<void> {
    await this.down();
    rmSync(this.root, { recursive: true, force: true });
  }

  #spawn(args: readonly string[]): ChildProcess {
    const { ANTHROPIC_API_KEY: _, CLAUDE_CONFIG_DIR: __, ...env } = process.env;
    return spawn(process.execPath, [program, ...args], {
      cwd: this.work,
      env: {
        ...env,
        HOME: this.root,
        XDG_STATE_HOME: join(this.root, "xdg"),
        SWITCHBOARD_USER: "anna",
        SWITCHBOARD_LOG: "warn",
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  async #until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
    const deadline = performance.now() + WITHIN_MS;
    for (;;) {
      // It may not listen yet.
      if (
        await Promise.resolve()
          .then(holds)
          .catch(() => false)
      )
        return;
      if (performance.now() > deadline) throw new Error(`Not in time: ${what}. ${this.#said}`);
      await delay(50);
    }
  }
}
