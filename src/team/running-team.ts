import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { ToolHost } from "../bridge/index.ts";
import { createToolHost } from "../bridge/index.ts";
import { openSqliteBus } from "../bus/sqlite/open.ts";
import { rehearsalEnvironment } from "../rehearsal/environment.ts";
import { claudeConfig } from "../session/place/claude-config.ts";
import { isTrusted } from "../session/place/trust.ts";
import { errorOf } from "../wire/errors.ts";
import type { SessionEventOf } from "../wire/session-events.ts";
import type { Task } from "../wire/team-task.ts";
import type { AgentId, CCMessage, Priority } from "../wire/team.ts";
import { writeAgentFiles } from "./agents/agent-files.ts";
import { agentEnvironment } from "./agents/agent-command.ts";
import { placeOfAgent } from "./agents/agent-place.ts";
import { sweepAfterKill } from "./agents/agent-process.ts";
import { Agent } from "./agents/agent.ts";
import { retireAbsent } from "./agents/retire-absent.ts";
import { supervise } from "./agents/supervise.ts";
import { workingDirectory } from "./agents/worktree.ts";
import { Answers } from "./delivery/answers.ts";
import { DeadLetterWatch } from "./delivery/dead-letter-watch.ts";
import { tellNews } from "./delivery/news.ts";
import { Router } from "./delivery/router.ts";
import { tellUntoldSteps } from "./delivery/settled-steps.ts";
import { SilenceWatch } from "./delivery/silence-watch.ts";
import type { AgentSpec, Team } from "./file/team.ts";
import { compose } from "./messages/compose.ts";
import { USER } from "./messages/user.ts";
import type { Office } from "./office.ts";
import { tellTrouble } from "./office.ts";
import { openOffice } from "./open-office.ts";
import { checkBudgets } from "./rules/budgets.ts";
import { checkSize } from "./rules/size.ts";
import { toldSeqs } from "./timeline/told-seqs.ts";
import type { ToolOwner } from "./tools/team-tools.ts";
import { teamTools } from "./tools/team-tools.ts";

export interface TeamOptions {
  readonly team: Team;
  /** Absolute, and nobody else's. */
  readonly stateDir: string;
  /** The address of a rehearsal that plays the model. */
  readonly rehearsalUrl?: string;
}

const STAGGER_MS = 150;

/** A team at work: its agents, and everything between them. */
export class RunningTeam {
  readonly office: Office;
  readonly agents = new Map<AgentId, Agent>();
  readonly rehearsalUrl: string | undefined;
  /** The last event of the processes before this one. */
  readonly firstSeq: number;
  readonly #stateDir: string;
  readonly #router: Router;
  readonly #answers: Answers;
  readonly #hosts: ToolHost[] = [];
  readonly #stop = new AbortController();
  readonly #deltas = new Set<(agent: AgentId, event: SessionEventOf<"text_delta">) => void>();
  readonly #deadLetters: DeadLetterWatch;
  readonly #silence: SilenceWatch;
  #lives: Promise<unknown>[] = [];
  #stopping: Promise<void> | undefined;

  private constructor(office: Office, { stateDir, rehearsalUrl }: TeamOptions) {
    this.office = office;
    this.#stateDir = stateDir;
    this.firstSeq = office.timeline.lastSeq;
    this.rehearsalUrl = rehearsalUrl;
    this.#router = new Router(office, (id) => this.#unavailable(id));
    this.#answers = new Answers(office, this.#router);
    this.#deadLetters = new DeadLetterWatch(office, this.#router, this.#answers);
    this.#silence = new SilenceWatch(office, this.#answers, (id) => this.#waitsForPerson(id));
  }

  /** Resolves when the agents are on their way up; their states tell the rest. */
  static async start(options: TeamOptions): Promise<RunningTeam> {
    const { team, stateDir } = options;
    mkdirSync(stateDir, { recursive: true, mode: 0o700 });
    // Before anything is begun: this is what is refused most.
    const cwds = new Map<AgentId, string>();
    for (const spec of team.agents.values()) {
      cwds.set(spec.id, await workingDirectory(spec, stateDir));
    }
    const bus = await openSqliteBus(join(stateDir, "bus.db"), {
      maxAttempts: team.limits.delivery_attempts,
    });
    try {
      const running = new RunningTeam(await openOffice(team, bus), options);
      await running.#open(cwds).catch(async (error: unknown) => {
        await running.#abandon();
        throw error;
      });
      return running;
    } catch (error) {
      await bus.close();
      throw error;
    }
  }

  /** What the user says to the lead. Resolves when it is durable. */
  async send(text: string, options: { id?: string; priority?: Priority } = {}): Promise<string> {
    const { bus, team, tasks } = this.office;
    const { id = randomUUID(), priority = "normal" } = options;
    const message = compose({
      id,
      from: USER,
      input: { to: team.lead, content: text, metadata: { priority } },
      answered: undefined,
      thread: undefined,
      now: new Date(),
    });
    if (await bus.get(id)) {
      // It knows whether this is the same message again or another one, and takes neither.
      await bus.send(message);
      return id;
    }
    const refusal =
      checkSize(message, team.limits) ??
      this.#unavailable(team.lead) ??
      (await checkBudgets(this.office, { agents: [team.lead], task: undefined }));
    if (refusal) throw this.#router.refuse(message, refusal);
    const task = tasks.rowOf(message, undefined, []);
    await this.#router.commit({ message, duplicate: false, task });
    return id;
  }

  /** Takes a task back, with its parts: whoever asked for it is told, and turns about it are ended. */
  async cancel(id: string, by: string): Promise<boolean> {
    const task = await this.#endCanceled(id, by);
    if (task) await this.#answers.giveUp(task, `The task was canceled by ${by}.`);
    return task !== undefined;
  }

  async #endCanceled(id: string, by: string): Promise<Task | undefined> {
    const { tasks } = this.office;
    const task = tasks.get(id);
    if (!task) return undefined;
    const agent = this.agents.get(task.to_agent);
    const isAtIt = agent !== undefined && (await this.#isAt(agent, id));
    const parts = tasks.openBelow(id);
    // It may have been answered meanwhile.
    if (!tasks.step(id, "canceled", `Canceled by ${by}.`)) return undefined;
    if (isAtIt) await agent.session?.abort();
    for (const part of parts) {
      const ended = await this.#endCanceled(part.id, by);
      // Nobody has to act on it, since the whole is canceled: so it starts no turn.
      if (ended)
        await tellNews(this.#router, ended.from_agent, `${by} has canceled "${ended.title}".`);
    }
    return task;
  }

  /** Is the agent's turn about this task? It is so in the moment in which this resolves. */
  async #isAt({ desk }: Agent, taskId: string): Promise<boolean> {
    const { bus, tasks } = this.office;
    for (;;) {
      const turnId = desk.state.turn?.turnId;
      const matter = await desk.matter(bus, tasks);
      if (desk.state.turn?.turnId === turnId) return matter?.taskId === taskId;
    }
  }

  /** Sends a dead letter again. Undefined when there is none of that id. */
  resend(id: string): Promise<CCMessage | undefined> {
    return this.#router.resend(id);
  }

  /** Lifts a quarantine. */
  restart(id: AgentId): void {
    const agent = this.agents.get(id);
    if (!agent) {
      throw errorOf("agent_not_found", `There is no agent ${id} in this team.`, {
        hint: "'switchboard status' lists its agents.",
      });
    }
    if (agent.state === "quarantined") this.#lives.push(this.#keepAlive(agent));
    else agent.wake();
  }

  onDelta(listener: (agent: AgentId, event: SessionEventOf<"text_delta">) => void): () => void {
    this.#deltas.add(listener);
    return () => void this.#deltas.delete(listener);
  }

  /** Ends all agents in stages, each bounded, and then the rest. May be called again. */
  stop(by?: string): Promise<void> {
    return (this.#stopping ??= this.#shutDown(by));
  }

  async #open(cwds: ReadonlyMap<AgentId, string>): Promise<void> {
    const { team, timeline, bus } = this.office;
    timeline.append({
      type: "team_started",
      team: team.name,
      lead: team.lead,
      agents: [...team.agents.keys()],
      rehearsal: this.rehearsalUrl !== undefined,
      restarted: !timeline.isNew,
    });
    await retireAbsent(this.office);
    for (const spec of team.agents.values()) {
      const agent = await this.#makeAgent(spec, cwds.get(spec.id) ?? spec.workdir);
      this.agents.set(spec.id, agent);
      await agent.record.load();
    }
    const told = await toldSeqs(timeline, (id) => this.agents.get(id)?.record.note.met_at ?? 0);
    // Before this process sends or settles anything itself: that would be told twice.
    await this.#router.tellUntold();
    await tellUntoldSteps(this.office);
    for (const [id, agent] of this.agents) agent.begin(told.get(id) ?? 0);
    // A question goes straight to whoever waits for the one who asks.
    bus.watch((message) => this.agents.get(message.to_agent)?.courier.offerQuestion(message));
    this.#deadLetters.start();
    this.#silence.start();
    this.#lives = [...this.agents.values()].map((agent, index) =>
      this.#keepAlive(agent, index * STAGGER_MS),
    );
  }

  async #makeAgent(spec: AgentSpec, cwd: string): Promise<Agent> {
    const { office, rehearsalUrl } = this;
    const { team } = office;
    const place = placeOfAgent(this.#stateDir, spec.id);
    mkdirSync(place.tools, { recursive: true, mode: 0o700 });
    const extra = rehearsalUrl ? rehearsalEnvironment(rehearsalUrl, { agent: spec.id }) : {};
    const agent = new Agent({
      office,
      spec,
      place,
      cwd,
      answers: this.#answers,
      // The person's own trust counts, although the agent has a configuration of its own.
      trust: team.trust || isTrusted(cwd, claudeConfig()),
      env: agentEnvironment(spec, place, extra),
      onDelta: (id, event) => {
        for (const listener of this.#deltas) listener(id, event);
      },
    });
    const owner: ToolOwner = {
      id: spec.id,
      sender: (callId, signal) => agent.sender(callId, signal),
      offerQuestions: (wait) => agent.courier.offerQuestions(wait),
    };
    const tools = teamTools(owner, {
      office,
      router: this.#router,
      stateOf: (id) => this.agents.get(id)?.state ?? "stopped",
      waitsForPerson: (id) => this.#waitsForPerson(id),
    });
    const host = createToolHost({ name: "team", tools, directory: place.tools });
    this.#hosts.push(host);
    await host.start();
    writeAgentFiles(team, spec, place, cwd, host.mcpServerConfig());
    return agent;
  }

  async #keepAlive(agent: Agent, delayMs = 0): Promise<void> {
    const { team } = this.office;
    const { signal } = this.#stop;
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    const why = await supervise(agent, {
      stableMs: team.timeouts.stableMs,
      failedStarts: team.limits.failed_starts,
      signal,
    });
    if (why !== undefined) await this.#tellQuarantine(agent, why);
  }

  /** Lead and people are told, and nobody goes on waiting for it. */
  async #tellQuarantine(agent: Agent, why: string): Promise<void> {
    const { team, tasks, timeline } = this.office;
    const { id } = agent.spec;
    const message = `${id} is quarantined: it failed to start ${team.limits.failed_starts} times in a row. ${why}`;
    const hint = `Its log is ${agent.place.log}. Mend it, then: switchboard restart ${id}`;
    timeline.append({ type: "notice", agent: id, level: "error", message, hint });
    try {
      for (const task of tasks.openOf(id)) await this.#answers.giveUp(task, message);
      if (id !== team.lead) await tellNews(this.#router, team.lead, message);
    } catch (error) {
      tellTrouble(this.office, "The team could not be told of a quarantine", error);
    }
  }

  #unavailable(id: AgentId) {
    const state = this.agents.get(id)?.state;
    if (state !== "quarantined") return undefined;
    return errorOf("agent_unavailable", `${id} is quarantined: it failed to start too often.`, {
      data: { agent_id: id, state },
    });
  }

  /** Does this agent wait for a person, or for somebody who does, in a call or for a part of its task? */
  #waitsForPerson(id: AgentId, seen: readonly AgentId[] = []): boolean {
    if (seen.includes(id)) return false;
    if (this.agents.get(id)?.state === "waiting") return true;
    const { tasks, waits } = this.office;
    const parts = tasks.openOf(id).flatMap((task) => tasks.openBelow(task.id));
    const others = [
      ...waits.of(id).map(({ awaited }) => awaited),
      ...parts.map(({ to_agent }) => to_agent),
    ];
    return others.some((other) => this.#waitsForPerson(other, [...seen, id]));
  }

  async #shutDown(by: string | undefined): Promise<void> {
    const { timeline, bus } = this.office;
    timeline.append({ type: "team_stopping", ...(by !== undefined && { by }) });
    this.#stop.abort();
    this.#silence.stop();
    this.#deadLetters.stop();
    const killed = await Promise.all([...this.agents.values()].map((agent) => agent.stop()));
    if (killed.includes(true)) await sweepAfterKill();
    await Promise.all(this.#lives);
    await Promise.all(this.#hosts.map((host) => host.stop()));
    await timeline.flushed();
    await bus.close();
  }

  /** The start has failed: what would keep the process alive ends. Agents that run already live on. */
  async #abandon(): Promise<void> {
    await Promise.all([...this.agents.values()].map(({ courier }) => courier.stop()));
    await Promise.all(this.#hosts.map((host) => host.stop()));
    await this.office.timeline.flushed();
  }
}
