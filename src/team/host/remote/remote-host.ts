import type { Records } from "../../../bus/records.ts";
import type { AgentId } from "../../../wire/team/messages.ts";
import { errorOf } from "../../../wire/errors.ts";
import type { AgentSpec, Team } from "../../file/team.ts";
import type {
  AgentHost,
  AgentLeftovers,
  AgentLog,
  HostedAgent,
  HostNotice,
  RunFacts,
  RunMark,
} from "../agent-host.ts";
import { askHost } from "./ask-host.ts";
import type { Assignments } from "./assignments.ts";
import type { Hosts } from "./hosts.ts";
import type { Moves } from "./moves.ts";
import { localMark } from "./local-mark.ts";
import { RemoteAgent } from "./remote-agent.ts";
import { openRemoteLog } from "./remote-log.ts";

export interface RemoteHostOptions {
  readonly team: Team;
  readonly hosts: Hosts;
  readonly assignments: Assignments;
  readonly moves: Moves;
  /** A script plays the model. */
  readonly rehearsed: boolean;
  /** Ends the connection through which the hosts are reached. */
  readonly disconnect?: () => Promise<void>;
}

const ASK_MS = 20_000;

/** Machines that have joined the team: an agent runs on one of them. */
export class RemoteHost implements AgentHost, AgentLeftovers {
  readonly #options: RemoteHostOptions;
  readonly #agents = new Set<AgentId>();

  constructor(options: RemoteHostOptions) {
    this.#options = options;
  }

  /** Directories and functions are made ready by each host. */
  async open(): Promise<void> {}

  onNotice(listener: (notice: HostNotice) => void): void {
    this.#options.hosts.onNotice(listener);
  }

  /** To be called when the records of the team can be read, before the first agent. */
  async useRecords(records: Records, epoch: number): Promise<void> {
    const { assignments, moves, team, hosts } = this.#options;
    await assignments.load(records, epoch);
    await moves.load(records);
    assignments.keepOnly((agent) => team.agents.get(agent)?.placement !== undefined);
    hosts.announce();
  }

  agent(spec: AgentSpec, mark: RunMark): HostedAgent {
    const { placement } = spec;
    if (!placement) throw errorOf("internal", `${spec.id} has no placement.`);
    this.#agents.add(spec.id);
    return new RemoteAgent({ ...this.#options, spec, placement, mark });
  }

  async openLog(id: AgentId): Promise<AgentLog | undefined> {
    const { hosts, assignments } = this.#options;
    const assignment = assignments.of(id);
    return assignment && openRemoteLog(hosts.require(assignment.host), id);
  }

  dismiss(id: AgentId, mark: RunMark): void {
    const host = this.#hostOf(mark);
    if (!host) return;
    const request = { type: "dismiss", agent: id, mark: localMark(mark) } as const;
    // One that does not hear it stops the agent, because the team does not name it any more.
    void askHost(host.tunnel, request, AbortSignal.timeout(ASK_MS)).catch(() => {});
  }

  async sweep(): Promise<void> {
    await this.#askAll((tunnel) => askHost(tunnel, { type: "sweep" }, AbortSignal.timeout(ASK_MS)));
  }

  async close({ clear }: { clear: boolean }): Promise<void> {
    const agents = [...this.#agents];
    await this.#askAll((tunnel) =>
      askHost(tunnel, { type: "release", agents, clear }, AbortSignal.timeout(ASK_MS)),
    );
    if (!this.#options.disconnect) return;
    this.#options.hosts.close();
    await this.#options.disconnect();
  }

  async leave(): Promise<void> {
    this.#options.hosts.close();
    await this.#options.disconnect?.();
  }

  describe(_: AgentId, { host }: RunMark): RunFacts & { readonly description: string } {
    return { ...(host !== undefined && { host }), description: "" };
  }

  async endRuns(marks: ReadonlyMap<AgentId, RunMark>): Promise<AgentId[]> {
    const names = new Set([...marks.values()].flatMap(({ host = "" }) => (host ? [host] : [])));
    const ended = await Promise.all(
      [...names].map(async (name) => {
        const own = [...marks].filter(([, { host }]) => host === name);
        const all = Object.fromEntries(own.map(([agent, mark]) => [agent, localMark(mark)]));
        const { tunnel } = this.#options.hosts.require(name);
        const request = { type: "end_runs", marks: all } as const;
        return (await askHost(tunnel, request, AbortSignal.timeout(ASK_MS))).agents;
      }),
    );
    return ended.flat();
  }

  /** What hosts have of the team stays there: they belong to others. */
  async remove(): Promise<void> {}

  #hostOf({ host }: RunMark) {
    return host === undefined ? undefined : this.#options.hosts.reachable(host);
  }

  /** Hosts that cannot be reached find out by themselves. */
  async #askAll(ask: (tunnel: Parameters<typeof askHost>[0]) => Promise<unknown>): Promise<void> {
    const { hosts } = this.#options;
    await Promise.allSettled(
      hosts.candidates.map(async ({ name }) => ask(hosts.require(name).tunnel)),
    );
  }
}
