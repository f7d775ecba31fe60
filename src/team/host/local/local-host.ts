import { existsSync } from "node:fs";
import { claudeConfig } from "../../../claude-config/claude-config.ts";
import { isTrusted } from "../../../claude-config/trust.ts";
import type { AgentId } from "../../../wire/team/messages.ts";
import type { AgentSpec, Team } from "../../file/team.ts";
import { serverConfig } from "../../file/fill-variables.ts";
import type { AgentHost, AgentLog, HostedAgent, HostNotice, RunMark } from "../agent-host.ts";
import { agentEnvironment } from "./agent-arguments-and-environment.ts";
import { newestLogOf } from "./newest-agent-log.ts";
import { pathsOfAgent } from "./agent-paths.ts";
import { findAgentProcess, sweepAfterKill } from "./agent-process.ts";
import { FunctionHosts } from "./functions/function-hosts.ts";
import { LocalAgent } from "./local-agent.ts";
import { workingDirectory } from "./worktree.ts";

export interface LocalHostOptions {
  readonly team: Team;
  /** Absolute, and this team's alone. */
  readonly stateDir: string;
  /** The project, where functions run. A team that leaves nothing behind has none. */
  readonly directory: string | undefined;
  /** Variables of each agent beside those that Claude Code needs. */
  readonly environmentOf: (id: AgentId) => Record<string, string>;
  /** Which agents of the team run here. By default all. */
  readonly runs?: (spec: AgentSpec) => boolean;
  /** What runs an agent, with the flags of `agent-socket`. By default that. */
  readonly program?: string;
  /** Agents end by themselves when their lease is over. */
  readonly isLeased?: boolean;
}

/** This machine: an agent is a process, reached over Unix sockets. */
export class LocalHost implements AgentHost {
  readonly #options: LocalHostOptions;
  readonly #functions: FunctionHosts;
  readonly #workdirs = new Map<AgentId, string>();
  readonly #agents: LocalAgent[] = [];
  #onNotice: (notice: HostNotice) => void = () => {};

  constructor(options: LocalHostOptions) {
    this.#options = options;
    const { team, stateDir, directory = process.cwd() } = options;
    this.#functions = new FunctionHosts({
      team: { ...team, agents: new Map(this.#ownAgents.map((spec) => [spec.id, spec])) },
      stateDir,
      cwd: directory,
      tell: (notice) => this.#onNotice(notice),
    });
  }

  get #ownAgents(): AgentSpec[] {
    const { team, runs = () => true } = this.#options;
    return [...team.agents.values()].filter(runs);
  }

  async open(): Promise<void> {
    const { team, stateDir, directory } = this.#options;
    for (const spec of this.#ownAgents) {
      const place = {
        stateDir,
        team: team.name,
        trusted: isTrustedFor(team, spec),
        temporary: directory === undefined,
      };
      this.#workdirs.set(spec.id, await workingDirectory(spec, place));
    }
    try {
      await this.#functions.start();
    } catch (error) {
      await this.#functions.stop({ clear: false });
      throw error;
    }
  }

  onNotice(listener: (notice: HostNotice) => void): void {
    this.#onNotice = listener;
  }

  agent(spec: AgentSpec, mark: RunMark): HostedAgent {
    const { team, stateDir, environmentOf, program, isLeased } = this.#options;
    const paths = pathsOfAgent(stateDir, spec.id);
    const own = Object.entries(spec.mcpServers).map(
      ([name, server]) => [name, serverConfig(server, process.env)] as const,
    );
    const agent = new LocalAgent({
      team,
      spec,
      paths,
      cwd: this.#workdirs.get(spec.id) ?? spec.workdir,
      trust: isTrustedFor(team, spec),
      env: agentEnvironment(spec, paths, environmentOf(spec.id)),
      mark,
      program,
      isLeased,
      servers: { ...this.#functions.serversOf(spec), ...Object.fromEntries(own) },
    });
    this.#agents.push(agent);
    return agent;
  }

  async openLog(id: AgentId): Promise<AgentLog | undefined> {
    return newestLogOf(pathsOfAgent(this.#options.stateDir, id));
  }

  dismiss(id: AgentId, mark: RunMark): void {
    const paths = pathsOfAgent(this.#options.stateDir, id);
    findAgentProcess(mark, paths)?.signal("SIGTERM");
  }

  async sweep(): Promise<void> {
    await sweepAfterKill();
  }

  async leave(): Promise<void> {
    await this.close({ clear: true });
  }

  async close({ clear }: { clear: boolean }): Promise<void> {
    // The functions first: their sockets lie beside those of the agents, in a directory that goes with the last of them.
    await this.#functions.stop({ clear });
    await Promise.all(this.#agents.map((agent) => agent.close({ clear })));
  }
}

/** The person's own trust counts, although the agent has a configuration of its own. */
const isTrustedFor = (team: Team, { workdir }: AgentSpec): boolean =>
  team.trust || (existsSync(workdir) && isTrusted(workdir, claudeConfig()));
