import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { StreamToolHost } from "../bridge/index.ts";
import { createStreamToolHost } from "../bridge/index.ts";
import { openSqliteBus } from "../bus/sqlite/open.ts";
import { makeOwnDirectory } from "../net/socket-file/own-directory.ts";
import { pause } from "../time/abort.ts";
import { errorOf } from "../wire/errors.ts";
import type { SessionEventOf } from "../wire/session/events.ts";
import type { Task } from "../wire/team/task.ts";
import type { AgentId, CCMessage, Priority } from "../wire/team/messages.ts";
import { AgentRecord } from "./agents/agent-record.ts";
import { Agent } from "./agents/agent.ts";
import { endTasksOfAbsent, retireAbsent, welcomeBack } from "./agents/retire-absent.ts";
import { Admission } from "./delivery/admit.ts";
import { DeadLetterWatch } from "./delivery/dead-letter-watch.ts";
import { tellNews } from "./delivery/news.ts";
import { Outbox } from "./delivery/outbox.ts";
import { Replies } from "./delivery/replies.ts";
import { SendCounts } from "./delivery/send-counts.ts";
import { SilenceWatch } from "./delivery/silence-watch.ts";
import { TEAM_SERVER } from "./file/server-issues.ts";
import type { AgentSpec, Team } from "./file/team.ts";
import type { AgentHost } from "./host/agent-host.ts";
import { compose } from "./messages/compose.ts";
import { USER } from "../wire/team/senders.ts";
import type { Office } from "./office.ts";
import { openOffice } from "./open-office.ts";
import { SHUT_OUT_HINT, shutOutTools, shutOutWarning } from "./rules/shut-out-tools.ts";
import { toldSeqs } from "./timeline/told-seqs.ts";
import type { OnTrouble } from "./timeline/trouble.ts";
import { troubleTeller } from "./timeline/trouble.ts";
import { teamToolNames } from "./tools/team-tool-names.ts";
import { teamTools } from "./tools/team-tools.ts";

export interface TeamOptions {
  readonly team: Team;
  /** Absolute, and nobody else's. */
  readonly stateDir: string;
  /** Where the agents run. */
  readonly host: AgentHost;
  /** The project, and that of the start before this one. */
  readonly directory?: string;
  readonly lastDirectory?: string;
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
  readonly #host: AgentHost;
  readonly #admission: Admission;
  readonly #outbox: Outbox;
  readonly #replies: Replies;
  readonly #tools: StreamToolHost[] = [];
  readonly #stop = new AbortController();
  readonly #deltas = new Set<(agent: AgentId, event: SessionEventOf<"text_delta">) => void>();
  readonly #deadLetters: DeadLetterWatch;
  readonly #silence: SilenceWatch;
  readonly #onTrouble: OnTrouble;
  #lives: Promise<unknown>[] = [];
  #stopping: Promise<void> | undefined;

  private constructor(office: Office, { host, rehearsalUrl }: TeamOptions) {
    this.office = office;
    this.#host = host;
    this.firstSeq = office.timeline.lastSeq;
    this.rehearsalUrl = rehearsalUrl;
    const { bus, tasks, timeline, communication, spending, team, waits, rate, log } = office;
    const counts = new SendCounts(rate, bus.records, tasks);
    const written = { bus, tasks, timeline, communication, counts };
    const availability = (id: AgentId) => this.#unavailable(id);
    this.#admission = new Admission({ ...written, team, spending, waits, log, availability });
    this.#outbox = new Outbox({ ...written, sendMs: team.timeouts.sendMs });
    this.#replies = new Replies({ bus, tasks, timeline, outbox: this.#outbox });
    const onTrouble = troubleTeller(timeline, log);
    this.#onTrouble = onTrouble;
    this.#deadLetters = new DeadLetterWatch({
      bus,
      tasks,
      timeline,
      communication,
      outbox: this.#outbox,
      replies: this.#replies,
      isAgent: (id) => team.agents.has(id),
      log,
      onTrouble,
    });
    this.#silence = new SilenceWatch({
      taskMs: team.timeouts.taskMs,
      bus,
      tasks,
      communication,
      replies: this.#replies,
      waitsForPerson: (id) => this.#waitsForPerson(id),
      log,
      onTrouble,
    });
    host.onNotice((notice) => office.timeline.append({ type: "notice", ...notice }));
  }

  /** Resolves when the agents are on their way up; their states tell the rest. */
  static async start(options: TeamOptions): Promise<RunningTeam> {
    const { team, stateDir, host } = options;
    makeOwnDirectory(stateDir);
    // Before anything is begun: this is what is refused most.
    await host.open();
    try {
      const bus = await openSqliteBus(join(stateDir, "bus.db"), {
        maxAttempts: team.limits.delivery_attempts,
      });
      try {
        const running = new RunningTeam(await openOffice(team, bus), options);
        await running.#open(options).catch(async (error: unknown) => {
          await running.#abandon();
          throw error;
        });
        return running;
      } catch (error) {
        await bus.close();
        throw error;
      }
    } catch (error) {
      await host.close({ clear: false });
      throw error;
    }
  }

  /** What the user says to the lead. Resolves when it is durable. */
  async send(text: string, options: { id?: string; priority?: Priority } = {}): Promise<string> {
    const { bus, team } = this.office;
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
    await this.#outbox.send(await this.#admission.admitUser(message));
    return id;
  }

  /** Takes a task back, with its parts: whoever asked for it is told, and turns about it are ended. */
  async cancel(id: string, by: string): Promise<boolean> {
    const task = await this.#endCanceled(id, by);
    if (task) await this.#replies.giveUp(task, `The task was canceled by ${by}.`);
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
        await tellNews(this.#outbox, ended.from_agent, `${by} has canceled "${ended.title}".`);
    }
    return task;
  }

  /** Is the agent's turn about this task? It is so in the moment in which this resolves. */
  async #isAt(agent: Agent, taskId: string): Promise<boolean> {
    for (;;) {
      const turnId = agent.view.state.turn?.turnId;
      const context = await agent.context();
      if (agent.view.state.turn?.turnId === turnId) return context?.taskId === taskId;
    }
  }

  /**
   * Sends a dead letter again. Undefined when there is none of that id.
   *
   * @throws `agent_not_found`, `agent_unavailable`; then the letter stays where it is.
   */
  async resend(id: string): Promise<CCMessage | undefined> {
    const dead = await this.#admission.admitDead(id);
    return dead && this.#outbox.resend(dead);
  }

  /** Lifts a quarantine. */
  restart(id: AgentId): void {
    const agent = this.agents.get(id);
    if (!agent) {
      throw errorOf("agent_not_found", `There is no agent ${id} in this team.`, {
        hint: "'switchboard status' lists its agents.",
      });
    }
    agent.restart();
  }

  onDelta(listener: (agent: AgentId, event: SessionEventOf<"text_delta">) => void): () => void {
    this.#deltas.add(listener);
    return () => void this.#deltas.delete(listener);
  }

  /** Ends all agents in stages, each bounded, and then the rest. May be called again. */
  stop(by?: string): Promise<void> {
    return (this.#stopping ??= this.#shutDown(by));
  }

  async #open({
    directory,
    lastDirectory,
  }: Pick<TeamOptions, "directory" | "lastDirectory">): Promise<void> {
    const { team, timeline, tasks, bus } = this.office;
    const isThere = (id: AgentId): boolean => team.agents.has(id);
    const { openedAfter } = timeline;
    timeline.append({
      type: "team_started",
      team: team.name,
      lead: team.lead,
      agents: [...team.agents.keys()],
      rehearsal: this.rehearsalUrl !== undefined,
      restarted: !timeline.isNew,
      ...(directory !== undefined && { directory }),
      ...(lastDirectory !== undefined && { last_directory: lastDirectory }),
      ...(openedAfter !== undefined && { last_at: openedAfter }),
    });
    for (const shutOut of shutOutTools(team.policy, team.agents.keys(), teamToolNames)) {
      const message = shutOutWarning(shutOut);
      timeline.append({ type: "notice", level: "warn", message, hint: SHUT_OUT_HINT });
    }
    await retireAbsent(isThere, bus, timeline, this.#host);
    for (const spec of team.agents.values()) {
      const record = new AgentRecord(bus.records, spec.id);
      await record.load();
      this.agents.set(spec.id, await this.#makeAgent(spec, record));
      await welcomeBack(record, timeline);
    }
    const told = await toldSeqs(timeline, (id) => this.agents.get(id)?.record.note.met_at ?? 0);
    // Before this process sends or settles anything itself: that would be told twice.
    await this.#outbox.publishRest();
    await endTasksOfAbsent(isThere, tasks, this.#replies, this.#onTrouble);
    for (const agent of this.agents.values()) agent.begin();
    // A question goes straight to whoever waits for the one who asks.
    bus.watch((message) => this.agents.get(message.to_agent)?.inbox.offerQuestion(message));
    this.#deadLetters.start();
    this.#silence.start();
    this.#lives = [...this.agents.values()].map((agent, index) =>
      this.#keepAlive(agent, told.get(agent.id) ?? 0, index * STAGGER_MS),
    );
  }

  async #makeAgent(spec: AgentSpec, record: AgentRecord): Promise<Agent> {
    const { office } = this;
    const hosted = this.#host.agent(spec, record.mark);
    const agent = new Agent({
      office,
      spec,
      hosted,
      record,
      replies: this.#replies,
      outbox: this.#outbox,
      onDelta: (id, event) => {
        for (const listener of this.#deltas) listener(id, event);
      },
      onQuarantine: (quarantined, why) => this.#tellQuarantine(quarantined, why),
    });
    const { bus, tasks, waits, communication, team } = office;
    const tools = teamTools({
      agent: spec.id,
      sender: (callId, signal) => agent.sender(callId, signal),
      inbox: agent.inbox,
      team,
      bus,
      tasks,
      waits,
      communication,
      admission: this.#admission,
      outbox: this.#outbox,
      stateOf: (id) => this.agents.get(id)?.state ?? "stopped",
      waitsForPerson: (id) => this.#waitsForPerson(id),
    });
    const host = createStreamToolHost(TEAM_SERVER, tools);
    this.#tools.push(host);
    await hosted.offerTools(host);
    return agent;
  }

  async #keepAlive(agent: Agent, publishedSeq: number, delayMs: number): Promise<void> {
    await pause(delayMs, this.#stop.signal);
    await agent.live(publishedSeq);
  }

  /** Lead and people are told, and nobody goes on waiting for it. */
  async #tellQuarantine(agent: Agent, why: string): Promise<void> {
    const { team, tasks, timeline } = this.office;
    const { id } = agent.spec;
    const message = `${id} is quarantined: it failed to start ${team.limits.failed_starts} times in a row. ${why}`;
    const hint = `${agent.logHint} Mend it, then: switchboard restart ${id}`;
    timeline.append({ type: "notice", agent: id, level: "error", message, hint });
    try {
      for (const task of tasks.openOf(id)) await this.#replies.giveUp(task, message);
      if (id !== team.lead) await tellNews(this.#outbox, team.lead, message);
    } catch (error) {
      this.#onTrouble("The team could not be told of a quarantine", error);
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
    if (killed.includes(true)) await this.#host.sweep();
    await Promise.all(this.#lives);
    await Promise.all(this.#tools.map((tools) => tools.stop()));
    await this.#host.close({ clear: true });
    await timeline.flushed();
    await bus.close();
  }

  /** The start has failed: what would keep the process alive ends. Agents that run already live on. */
  async #abandon(): Promise<void> {
    await Promise.all([...this.agents.values()].map(({ inbox }) => inbox.stop()));
    await Promise.all(this.#tools.map((tools) => tools.stop()));
    await this.office.timeline.flushed();
  }
}
