import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { StdioServerConfig } from "../../../../bridge/index.ts";
import { ClaudeCodeError, errorOf } from "../../../../wire/errors.ts";
import { pathsOfAgent } from "../agent-paths.ts";
import type { AgentSpec, Team } from "../../../file/team.ts";
import type { ToolProcess } from "./tool-process.ts";
import { startToolProcess } from "./tool-process.ts";

export interface FunctionHostsOptions {
  readonly team: Team;
  readonly stateDir: string;
  /** Where the functions run: the project. */
  readonly cwd: string;
  /** Something that people should know. */
  readonly tell: (notice: { level: "info" | "warn"; message: string; hint?: string }) => void;
}

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 60_000;
const FACTOR = 4;
/** Of the host's name, which is part of a socket's path: the system allows 107 characters for the whole. */
const NAME_CHARS = 16;
const IN_USE_AGAIN_MS = 200;

/**
 * The files of functions that a team's agents have as tools. Each file runs in a process of its own, which serves all agents
 * that name it: a function that crashes ends neither the team nor an agent, and its process is started again.
 */
export class FunctionHosts {
  readonly #options: FunctionHostsOptions;
  /** By file. */
  readonly #configs = new Map<string, StdioServerConfig>();
  readonly #running = new Map<string, ToolProcess>();
  readonly #lives: Promise<void>[] = [];
  readonly #stop = new AbortController();

  constructor(options: FunctionHostsOptions) {
    this.#options = options;
  }

  /** Resolves when every function can be called. @throws `team_invalid` that names the file and its mistake. */
  async start(): Promise<void> {
    const files = this.#files();
    const starts = await Promise.allSettled(files.map((file) => this.#start(file)));
    const failed = starts.flatMap((start, index) =>
      start.status === "rejected" ? [this.#invalid(files[index] ?? "", start.reason)] : [],
    );
    if (failed[0]) throw failed[0];
    for (const file of files) this.#lives.push(this.#keepAlive(file));
  }

  /** What an agent's session needs to know of its files, by the name of the server. */
  serversOf({ toolFiles }: AgentSpec): Record<string, StdioServerConfig> {
    return Object.fromEntries(
      toolFiles.flatMap(({ server, path }) => {
        const config = this.#configs.get(path);
        return config ? [[server, config]] : [];
      }),
    );
  }

  /** Ends the processes. The paths of their sockets stay for the next ones, unless they are to be cleared. */
  async stop({ clear }: { clear: boolean }): Promise<void> {
    this.#stop.abort(errorOf("aborted", "The team is being stopped."));
    await Promise.all([...this.#running.values()].map(({ child }) => child.stop().catch(() => {})));
    await Promise.all(this.#lives);
    if (!clear) return;
    for (const file of this.#files()) {
      rmSync(this.#directoryOf(file), { recursive: true, force: true });
    }
  }

  #files(): string[] {
    const specs = [...this.#options.team.agents.values()];
    return [...new Set(specs.flatMap(({ toolFiles }) => toolFiles.map(({ path }) => path)))];
  }

  /** A process that is still ending holds its socket's path for a moment. */
  async #start(file: string): Promise<void> {
    const { timeouts } = this.#options.team;
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(timeouts.startMs)]);
    for (;;) {
      try {
        const started = await startToolProcess({
          file,
          hostName: this.#serverOf(file).slice(0, NAME_CHARS),
          directory: this.#directoryOf(file),
          cwd: this.#options.cwd,
          log: this.#logOf(file),
          signal,
        });
        this.#configs.set(file, started.config);
        this.#running.set(file, started);
        return;
      } catch (error) {
        const isHeld = error instanceof ClaudeCodeError && error.code === "socket_in_use";
        if (!isHeld || signal.aborted) throw error;
        await delay(IN_USE_AGAIN_MS, undefined, { signal, ref: false });
      }
    }
  }

  async #keepAlive(file: string): Promise<void> {
    const { stableMs } = this.#options.team.timeouts;
    for (let failures = 0; ;) {
      const startedAtMs = performance.now();
      const why = await this.#untilEnded(file);
      if (this.#stop.signal.aborted) return;
      failures = performance.now() - startedAtMs >= stableMs ? 1 : failures + 1;
      this.#options.tell({
        level: "warn",
        message: `The functions of ${file} ${why}. They are started again.`,
        hint: `What they printed is in ${this.#logOf(file)}.`,
      });
      const pauseMs = Math.min(FIRST_PAUSE_MS * FACTOR ** (failures - 1), MAX_PAUSE_MS);
      await delay(pauseMs, undefined, { signal: this.#stop.signal, ref: false }).catch(() => {});
    }
  }

  /** Starts the process if it does not run, and says how it ended. */
  async #untilEnded(file: string): Promise<string> {
    try {
      if (!this.#running.has(file)) await this.#startAgain(file);
      const exit = await this.#running.get(file)?.child.exited;
      return `ended with ${exit?.signal ?? `exit code ${exit?.code ?? "unknown"}`}`;
    } catch (error) {
      return `did not start: ${error instanceof Error ? error.message : String(error)}`;
    } finally {
      this.#running.delete(file);
    }
  }

  async #startAgain(file: string): Promise<void> {
    await this.#start(file);
    this.#options.tell({ level: "info", message: `The functions of ${file} run again.` });
  }

  #logOf(file: string): string {
    return join(this.#options.stateDir, `tools-${this.#serverOf(file)}.log`);
  }

  #serverOf(file: string): string {
    const files = [...this.#options.team.agents.values()].flatMap(({ toolFiles }) => toolFiles);
    return files.find(({ path }) => path === file)?.server ?? "tools";
  }

  /** Beside those of the agents, under a name that no agent can have. */
  #directoryOf(file: string): string {
    const { team, stateDir } = this.#options;
    const name = createHash("sha256").update(file).digest("hex").slice(0, 6);
    return join(dirname(pathsOfAgent(stateDir, team.lead).tools), `.${name}`);
  }

  #invalid(file: string, reason: unknown): ClaudeCodeError {
    const ids = [...this.#options.team.agents.values()]
      .filter(({ toolFiles }) => toolFiles.some(({ path }) => path === file))
      .map(({ id }) => id);
    const why = reason instanceof Error ? reason.message : String(reason);
    const hint = reason instanceof ClaudeCodeError ? reason.hint : undefined;
    return errorOf("team_invalid", `The tools of ${ids.join(", ")}: ${why}`, {
      cause: reason,
      data: { file },
      ...(hint !== undefined && { hint }),
    });
  }
}
