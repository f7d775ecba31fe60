import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { probeSocket } from "../../../net/probe-socket.ts";
import { isRecord } from "../../../wire/json.ts";
import type { AgentId } from "../../../wire/team/messages.ts";
import type { AgentLeftovers, AgentLog, RunFacts, RunMark } from "../agent-host.ts";
import { newestLogOf } from "./newest-agent-log.ts";
import {
  clearSocketDirectory,
  factsOf,
  pathsOfAgent,
  removeDeadSockets,
  removeSocketDirectories,
} from "./agent-paths.ts";
import { endAgentProcess, findAgentProcess, sweepAfterKill } from "./agent-process.ts";
import { removeWorktrees } from "./worktree.ts";

/** What a team without a process has left on this machine: processes, sockets and worktrees. */
export class LocalLeftovers implements AgentLeftovers {
  readonly #stateDir: string;

  constructor(stateDir: string) {
    this.#stateDir = stateDir;
  }

  describe(id: AgentId, mark: RunMark): RunFacts & { readonly description: string } {
    const paths = pathsOfAgent(this.#stateDir, id);
    const pid = findAgentProcess(mark, paths)?.pid;
    return {
      ...(pid !== undefined && { pid }),
      ...factsOf(paths),
      description: descriptionIn(paths.settings, id),
    };
  }

  async openLog(id: AgentId): Promise<AgentLog | undefined> {
    return newestLogOf(pathsOfAgent(this.#stateDir, id));
  }

  /** Whether a session is served where the agent's would be, whoever has started it. */
  async isServed(id: AgentId): Promise<boolean> {
    const { state } = await probeSocket(pathsOfAgent(this.#stateDir, id).socket);
    return state === "alive";
  }

  async endRuns(marks: ReadonlyMap<AgentId, RunMark>): Promise<AgentId[]> {
    const agents = [...marks];
    const wereRunning = await Promise.all(agents.map(([id, mark]) => this.#endRun(id, mark)));
    // Loaded when it is needed: a command that only describes a stopped team does without it.
    const { endTeamRehearsal } = await import("./rehearsal-process.ts");
    const wasRehearsing = await endTeamRehearsal(this.#stateDir);
    if (wereRunning.includes(true) || wasRehearsing) await sweepAfterKill();
    return agents.flatMap(([id], index) => (wereRunning[index] === true ? [id] : []));
  }

  async remove(): Promise<void> {
    const agents = join(this.#stateDir, "agents");
    removeSocketDirectories(this.#stateDir, existsSync(agents) ? readdirSync(agents) : []);
    await removeWorktrees(this.#stateDir);
  }

  async #endRun(id: AgentId, mark: RunMark): Promise<boolean> {
    const paths = pathsOfAgent(this.#stateDir, id);
    const running = findAgentProcess(mark, paths);
    if (running) await endAgentProcess(running, 0);
    await removeDeadSockets(paths);
    clearSocketDirectory(paths);
    return running !== undefined;
  }
}

/** The team file may have changed since; the agent's own settings have what it was started with. */
function descriptionIn(settings: string, id: AgentId): string {
  try {
    const value: unknown = JSON.parse(readFileSync(settings, "utf8"));
    const agents = isRecord(value) && isRecord(value["agents"]) ? value["agents"] : {};
    const agent = agents[id];
    const description = isRecord(agent) ? agent["description"] : undefined;
    return typeof description === "string" ? description : "";
  } catch {
    return "";
  }
}
