import type { StreamToolHost } from "../bridge/index.ts";
import type { Bus } from "../bus/bus.ts";
import { pause } from "../time/abortable-waits.ts";
import type { AgentId } from "../wire/team/messages.ts";
import type { Agent } from "./agents/agent.ts";
import type { AgentHost } from "./host/agent-host.ts";
import type { Timeline } from "./timeline/timeline.ts";

/** Looks for something at intervals while the team runs. */
interface Watch {
  start(): void;
  stop(): void;
}

export interface TeamLifecycleOptions {
  readonly agents: ReadonlyMap<AgentId, Agent>;
  /** The tools of the agents. */
  readonly tools: readonly StreamToolHost[];
  readonly watches: readonly Watch[];
  readonly host: Pick<AgentHost, "sweep" | "close" | "leave">;
  readonly timeline: Pick<Timeline, "append" | "flushed">;
  readonly bus: Pick<Bus, "watch" | "close">;
}

/** The pause between the starts of two agents, so that they do not load the machine all at once. */
const STAGGER_MS = 150;

/** Starts everything in a team, and ends it. */
export class TeamLifecycle {
  readonly #options: TeamLifecycleOptions;
  readonly #stop = new AbortController();
  #lives: Promise<unknown>[] = [];
  #stopping: Promise<void> | undefined;

  constructor(options: TeamLifecycleOptions) {
    this.#options = options;
  }

  /** @param publishedSeqs by agent: the newest event of its session's log that the timeline has. */
  begin(publishedSeqs: ReadonlyMap<AgentId, number>): void {
    const { agents, watches, bus } = this.#options;
    for (const agent of agents.values()) agent.begin();
    // A question goes straight to the call that waits for the agent that asks.
    bus.watch((message) => agents.get(message.to_agent)?.inbox.offerQuestion(message));
    for (const watch of watches) watch.start();
    this.#lives = [...agents.values()].map((agent, index) =>
      this.#keepAlive(agent, publishedSeqs.get(agent.id) ?? 0, index * STAGGER_MS),
    );
  }

  /** Ends all agents in stages, each bounded, and then the rest. May be called again. */
  stop(by?: string): Promise<void> {
    return (this.#stopping ??= this.#shutDown(by));
  }

  /** Another office has the team, or is to have it: lets its agents go on, as far as that one reaches them. */
  leave(): Promise<void> {
    return (this.#stopping ??= this.#leave());
  }

  /** After a failed start: ends what would keep the process alive. Agents that already run live on. */
  async abandon(): Promise<void> {
    const { agents, tools, timeline } = this.#options;
    await Promise.all([...agents.values()].map(({ inbox }) => inbox.stop()));
    await Promise.all(tools.map((each) => each.stop()));
    await timeline.flushed();
  }

  async #keepAlive(agent: Agent, publishedSeq: number, delayMs: number): Promise<void> {
    await pause(delayMs, this.#stop.signal);
    await agent.live(publishedSeq);
  }

  async #leave(): Promise<void> {
    const { agents, tools, watches, host, timeline, bus } = this.#options;
    this.#stop.abort();
    for (const watch of watches) watch.stop();
    await Promise.all([...agents.values()].map((agent) => agent.leaveToOffice()));
    await Promise.all(this.#lives);
    await Promise.all(tools.map((each) => each.stop()));
    await host.leave();
    await timeline.flushed();
    await bus.close();
  }

  async #shutDown(by: string | undefined): Promise<void> {
    const { agents, tools, watches, host, timeline, bus } = this.#options;
    timeline.append({ type: "team_stopping", ...(by !== undefined && { by }) });
    this.#stop.abort();
    for (const watch of watches) watch.stop();
    const killed = await Promise.all([...agents.values()].map((agent) => agent.stop()));
    if (killed.includes(true)) await host.sweep();
    await Promise.all(this.#lives);
    await Promise.all(tools.map((each) => each.stop()));
    await host.close({ clear: true });
    await timeline.flushed();
    await bus.close();
  }
}
