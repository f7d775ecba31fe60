import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { RehearsalClient } from "../../src/rehearsal/index.ts";
import { pathsOfAgent } from "../../src/team/host/local/agent-paths.ts";
import type { TeamClient } from "../../src/team/core.ts";
import { connectTeamOnce } from "../../test/support/connect-team.ts";
import { controlSocket } from "../../src/team/state-dir/control-socket-path.ts";
import type { TeamEvent } from "../../src/wire/team/events.ts";
import type { Command } from "../bridge/command.ts";

const program = join(import.meta.dirname, "../../bin/switchboard.js");
const PATIENCE_MS = 300_000;
const POLL_MS = 20;

/** A team as a person starts it, in a place of its own. */
export class LiveTeam {
  readonly root = mkdtempSync(join(tmpdir(), "bench-delivery-"));
  readonly stateDir = join(this.root, "state");
  readonly agents: string[];
  /** What its timeline has told. */
  readonly told: TeamEvent[] = [];
  readonly #script: string;
  #child: ChildProcess | undefined;
  #client: TeamClient | undefined;
  #stderr = "";
  #lastSeq = 0;

  constructor(agents: string[], script: string) {
    this.agents = agents;
    this.#script = join(this.root, "script.mjs");
    writeFileSync(this.#script, script);
    writeFileSync(join(this.root, "team.yaml"), teamOf(agents));
    mkdirSync(join(this.root, "work"));
  }

  /** Gives back how long it took until all agents were ready. */
  async up(): Promise<number> {
    const startMs = performance.now();
    const { ANTHROPIC_API_KEY: _, CLAUDE_CONFIG_DIR: __, ...env } = process.env;
    const args = [
      "up",
      "--no-web",
      "team.yaml",
      "--rehearsal",
      this.#script,
      "--state-dir",
      this.stateDir,
    ];
    const child = spawn(process.execPath, [program, ...args], {
      cwd: this.root,
      env: { ...env, HOME: this.root, XDG_STATE_HOME: join(this.root, "xdg") },
      stdio: ["ignore", "ignore", "pipe"],
    });
    child.stderr?.on("data", (text) => (this.#stderr = (this.#stderr + String(text)).slice(-2000)));
    this.#child = child;
    this.#client = await this.#connect();
    await this.#client.follow({ since: this.#lastSeq }, (item) => {
      if (!("seq" in item) || item.seq <= this.#lastSeq) return;
      this.#lastSeq = item.seq;
      this.told.push(item);
    });
    while (!(await this.#areReady())) await sleep(POLL_MS);
    return performance.now() - startMs;
  }

  get client(): TeamClient {
    if (!this.#client) throw new Error("The team is not up.");
    return this.#client;
  }

  get rehearsal(): RehearsalClient {
    const note = readFileSync(join(this.stateDir, "rehearsal.json"), "utf8");
    return new RehearsalClient((JSON.parse(note) as { url: string }).url);
  }

  /** How an agent's CLI starts the bridge to its team tools. */
  bridgeOf(agent: string): Command {
    const config = readFileSync(pathsOfAgent(this.stateDir, agent).mcpConfig, "utf8");
    return (JSON.parse(config) as { mcpServers: { team: Command } }).mcpServers.team;
  }

  /** Dies without a word; its agents live on for a while. */
  async kill(): Promise<void> {
    const gone = new Promise((resolve) => this.#child?.once("exit", resolve));
    this.#child?.kill("SIGKILL");
    await gone;
    await this.#client?.closed;
  }

  async down(): Promise<void> {
    const gone = new Promise((resolve) => this.#child?.once("exit", resolve));
    this.#child?.kill("SIGTERM");
    await gone;
  }

  async remove(): Promise<void> {
    if (this.#child?.exitCode === null && this.#child.signalCode === null) await this.down();
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }

  async until(isSo: () => boolean): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    while (!isSo()) {
      if (performance.now() > deadline) throw new Error(`It does not come. ${this.#stderr}`);
      await sleep(POLL_MS);
    }
  }

  /** The resident megabytes of all its processes, each page counted once where the system says so. */
  get megabytes(): { processes: number; rss: number; pss: number } {
    const sum = { processes: 0, rss: 0, pss: 0 };
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      try {
        if (!readFileSync(`/proc/${pid}/environ`, "utf8").includes(this.root)) continue;
        const memory = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
        sum.processes += 1;
        sum.rss += kilobytesOf("Rss", memory) / 1024;
        sum.pss += kilobytesOf("Pss", memory) / 1024;
      } catch {
        // It has just ended, or is not ours to read.
      }
    }
    return sum;
  }

  async #areReady(): Promise<boolean> {
    const { agents } = await this.client.request("status", {});
    return agents.every(({ state }) => state === "ready");
  }

  async #connect(): Promise<TeamClient> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        return await connectTeamOnce(controlSocket(this.stateDir));
      } catch (error) {
        if (performance.now() > deadline || this.#child?.exitCode !== null) {
          throw new Error(`The team does not come up. ${this.#stderr}`, { cause: error });
        }
        await sleep(POLL_MS);
      }
    }
  }
}

const kilobytesOf = (name: string, text: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)?.[1] ?? 0);

const teamOf = (agents: string[]): string => `
name: bench
lead: ${agents[0]}
timeouts: { stable: 0.001, idle: 3600 }
limits: { per_pair_per_minute: 1000000, per_sender_per_minute: 1000000, messages_per_root: 1000000 }
agents:
${agents.map((id) => `  ${id}: { description: works, prompt: You work., workdir: work }`).join("\n")}
`;
