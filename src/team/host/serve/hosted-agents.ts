import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { StreamToolHost } from "../../../bridge/index.ts";
import { errorOf } from "../../../wire/errors.ts";
import type { HostRequest } from "../../../wire/host.ts";
import type { AgentId } from "../../../wire/team/messages.ts";
import { OneAtATime } from "../../agents/one-at-a-time-by-key.ts";
import { teamOfSource } from "../../file/team-of-source.ts";
import type { AgentSpec, Team } from "../../file/team.ts";
import type { AgentRun, HostedAgent, HostNotice, RunMark, StopOutcome } from "../agent-host.ts";
import { checkCredentials } from "../local/check-credentials.ts";
import { LocalHost } from "../local/local-host.ts";
import { LocalLeftovers } from "../local/local-leftovers.ts";

export interface HostedAgentsOptions {
  /** Each agent has a directory of its own in it. */
  readonly stateDir: string;
  /** Where relative working directories begin. */
  readonly directory: string;
  readonly environmentOf: (agent: AgentId) => Record<string, string>;
  /** A script plays the model here. */
  readonly rehearsed: boolean;
  readonly program?: string | undefined;
  /** Tools whose calls go through the tunnel to the team. */
  readonly toolsOf: (agent: AgentId, tools: Offered) => StreamToolHost;
  readonly onNotice: (notice: HostNotice & { readonly agent: AgentId }) => void;
}

export type StartRequest = Extract<HostRequest, { type: "start" }>;
type Offered = NonNullable<StartRequest["tools"]>;

interface Held {
  readonly team: string;
  readonly tools: string | undefined;
  readonly host: LocalHost;
  readonly agent: HostedAgent;
  mark: RunMark;
  readonly runs: Map<string, AgentRun>;
}

/** The agents of a team that run on this machine, each behind the port for this machine. */
export class HostedAgents {
  readonly #options: HostedAgentsOptions;
  readonly #held = new Map<AgentId, Held>();
  readonly #inTurn = new OneAtATime();
  #count = 0;

  constructor(options: HostedAgentsOptions) {
    this.#options = options;
  }

  /** @throws `team_invalid`; `no_credentials`; what keeps it from starting; the signal's reason. */
  start(
    request: StartRequest,
    signal: AbortSignal,
  ): Promise<{ run: string; mark: RunMark; log_hint: string }> {
    return this.#inTurn.run(request.agent, async () => {
      signal.throwIfAborted();
      const held = await this.#prepare(request);
      const { resume, mode, model } = request;
      const run = await held.agent.start(resume, signal, { mode, model });
      // The team has given it up, and would not know what it has started.
      if (signal.aborted) await held.agent.stop(0);
      signal.throwIfAborted();
      held.mark = run.mark;
      const name = String((this.#count += 1));
      held.runs.set(name, run);
      return { run: name, mark: { ...run.mark }, log_hint: held.agent.logHint };
    });
  }

  /** @throws `connection_failed` with ENOENT as its cause when there is no such run. */
  run(agent: AgentId, run: string): AgentRun {
    const found = this.#held.get(agent)?.runs.get(run);
    if (found) return found;
    const cause = Object.assign(new Error("no such run"), { code: "ENOENT" });
    throw errorOf("connection_failed", `${agent} has no such run here.`, { cause });
  }

  stop(agent: AgentId, mark: RunMark, askedMs: number, cut = false): Promise<StopOutcome> {
    return this.#inTurn.run(agent, async () => {
      const held = this.#held.get(agent);
      const left = this.leftovers(agent);
      if (!held && (await left.endRuns(new Map([[agent, mark]]))).length > 0) return "ended";
      const outcome = held ? await held.agent.stop(askedMs, cut) : "not_seen";
      // Both the team and this host were killed before the run was written down. It is given to no other host before it ends.
      if (cut && outcome === "not_seen" && (await left.isServed(agent)))
        throw errorOf("agent_unavailable", `${agent} runs here, and ends when its lease is over.`);
      return outcome;
    });
  }

  /** Takes no more bridges of these agents, which live on. */
  async release(agents: readonly AgentId[], clear: boolean): Promise<void> {
    await Promise.all(
      agents.map((agent) =>
        this.#inTurn.run(agent, async () => {
          const held = this.#held.get(agent);
          this.#held.delete(agent);
          await held?.host.close({ clear });
        }),
      ),
    );
  }

  /** Ends all that run here, each in stages. */
  async end(): Promise<void> {
    const agents = [...this.#held.keys()];
    await Promise.all(agents.map((agent) => this.stop(agent, {}, 0)));
    await this.release(agents, true);
  }

  leftovers(agent: AgentId): LocalLeftovers {
    return new LocalLeftovers(this.stateDirOf(agent));
  }

  stateDirOf(agent: AgentId): string {
    return join(this.#options.stateDir, agent);
  }

  async #prepare(request: StartRequest): Promise<Held> {
    const { agent, tools } = request;
    const team = JSON.stringify(request.team);
    const offered = tools && JSON.stringify(tools);
    const known = this.#held.get(agent);
    const isSame = known?.team === team && (offered === undefined || known.tools === offered);
    if (known && isSame) return known;
    const mark = known?.mark ?? request.mark;
    if (known) {
      this.#held.delete(agent);
      await known.host.close({ clear: false });
    }
    return this.#make(agent, request, mark, team, offered ?? known?.tools);
  }

  async #make(
    id: AgentId,
    { team: source }: StartRequest,
    mark: RunMark,
    teamText: string,
    offered: string | undefined,
  ): Promise<Held> {
    const { directory, environmentOf, program, rehearsed, toolsOf, onNotice } = this.#options;
    const [team, spec] = teamFor(teamOfSource(source, directory), id);
    const refusal = rehearsed
      ? undefined
      : checkCredentials({ ...team, agents: new Map([[id, spec]]) });
    if (refusal) throw refusal;
    const stateDir = this.stateDirOf(id);
    mkdirSync(stateDir, { recursive: true, mode: 0o700 });
    const host = new LocalHost({
      team,
      stateDir,
      directory,
      environmentOf,
      runs: (each) => each.id === id,
      isLeased: true,
      ...(program !== undefined && { program }),
    });
    host.onNotice((notice) => onNotice({ ...notice, agent: id }));
    await host.open();
    try {
      const agent = host.agent(spec, mark);
      if (offered !== undefined)
        await agent.offerTools(toolsOf(id, JSON.parse(offered) as Offered));
      const held = { team: teamText, tools: offered, host, agent, mark, runs: new Map() };
      this.#held.set(id, held);
      return held;
    } catch (error) {
      await host.close({ clear: false });
      throw error;
    }
  }
}

/** On this machine the agent is where it belongs. */
function teamFor(team: Team, id: AgentId): [Team, AgentSpec] {
  const found = team.agents.get(id);
  if (!found) throw errorOf("agent_not_found", `The team has no agent ${id}.`);
  const { placement: _, ...spec } = found;
  return [{ ...team, agents: new Map(team.agents).set(id, spec) }, spec];
}
