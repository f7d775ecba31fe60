import type { SessionClient } from "../../client/index.ts";
import { SessionView } from "../../client/index.ts";
import type { SessionEventOf } from "../../wire/session/events.ts";
import type { AgentState } from "../../wire/team/events.ts";
import type { Sender } from "../delivery/admit.ts";
import { AgentInbox } from "../delivery/inbox.ts";
import type { Outbox } from "../delivery/outbox.ts";
import type { Recipient } from "../delivery/recipient.ts";
import type { Replies } from "../delivery/replies.ts";
import type { AgentSpec } from "../file/team.ts";
import type { HostedAgent, RunFacts } from "../host/agent-host.ts";
import { idOfCall } from "../messages/message-id.ts";
import type { Office } from "../office.ts";
import { checkBudgets } from "../rules/budgets.ts";
import { troubleTeller } from "../timeline/trouble.ts";
import type { AgentSession, ReadFrom } from "./agent-life.ts";
import { AgentLife } from "./agent-life.ts";
import type { AgentRecord } from "./agent-record.ts";
import { Approver } from "./approver.ts";
import type { Life } from "./life.ts";
import { openSessionOf, sessionOf, shownLife } from "./life.ts";
import { SessionReader } from "./session-reader.ts";
import { TurnSettler } from "./settle-turn.ts";
import type { TurnContext } from "./turn-context.ts";
import { callNotShown, contextOf, isCallShown, openCallFor } from "./turn-context.ts";

export interface AgentParts {
  readonly office: Office;
  readonly spec: AgentSpec;
  readonly hosted: HostedAgent;
  readonly record: AgentRecord;
  readonly replies: Replies;
  readonly outbox: Outbox;
  readonly onDelta: (agent: string, event: SessionEventOf<"text_delta">) => void;
  readonly onQuarantine: (agent: Agent, why: string) => Promise<void>;
}

/** One agent: its life, what is known of its session, and its inbox. */
export class Agent implements Recipient {
  readonly id: string;
  readonly spec: AgentSpec;
  readonly view = new SessionView();
  readonly approver: Approver;
  readonly inbox: AgentInbox;
  readonly record: AgentRecord;
  readonly #parts: AgentParts;
  readonly #life: AgentLife;
  readonly #onTrouble: (what: string, error: unknown) => void;
  /** As the timeline has it. */
  #state: AgentState = "stopped";

  constructor(parts: AgentParts) {
    this.#parts = parts;
    const { office, spec, outbox } = parts;
    this.id = spec.id;
    this.spec = spec;
    this.record = parts.record;
    const { bus, tasks, timeline } = office;
    this.approver = new Approver({
      agent: spec.id,
      view: this.view,
      records: bus.records,
      tasks,
      timeline,
      session: () => sessionOf(this.#life.now)?.client,
    });
    this.#onTrouble = troubleTeller(timeline, office.log);
    this.inbox = new AgentInbox({ ...office, outbox, recipient: this, onTrouble: this.#onTrouble });
    this.#life = new AgentLife({
      spec,
      hosted: parts.hosted,
      record: parts.record,
      team: office.team,
      timeline,
      view: this.view,
      isFree: () => this.view.isIdle && office.waits.of(spec.id).length === 0,
      makeReader: (session, from) => this.#makeReader(session, from),
      onChange: (life) => this.#changed(life),
      onLost: () => this.inbox.sessionLost("The agent's process ended."),
      onQuarantine: (why) => parts.onQuarantine(this, why),
    });
  }

  get state(): AgentState {
    return this.#state;
  }

  /** Of its run, for people. */
  get facts(): RunFacts {
    return this.#parts.hosted.facts;
  }

  get logHint(): string {
    return this.#parts.hosted.logHint;
  }

  get session(): SessionClient | undefined {
    return openSessionOf(this.#life.now)?.client;
  }

  get isBusy(): boolean {
    return this.view.isBusy;
  }

  get isAsleep(): boolean {
    return this.#life.now.at === "asleep";
  }

  get openMessages(): readonly string[] {
    return this.view.openMessages;
  }

  get cutTasks(): ReadonlySet<string> {
    return this.#parts.replies.cutTasks(this.spec.id);
  }

  hasSeen(id: string): boolean {
    return this.view.hasSeen(id);
  }

  openCallFor(messageId: string): string | undefined {
    return openCallFor(this.view, messageId);
  }

  isOpenCall(callId: string): boolean {
    return this.view.openCalls.has(callId);
  }

  /** Starts an agent that hibernates. */
  wake(): void {
    this.#life.wake();
  }

  /** Starts an agent that hibernates or is quarantined. */
  restart(): void {
    this.wake();
    this.#life.lift();
  }

  /** A budget that was spent after the message had been accepted. */
  refusalOf(taskId: string | undefined): Promise<Error | undefined> {
    return checkBudgets(this.#parts.office, { agents: [this.id], task: taskId });
  }

  /**
   * Who speaks when this agent's tools are called, and in which matter.
   *
   * @throws `timeout` when the session does not tell of the call; what the signal says.
   */
  async sender(callId: string | undefined, signal: AbortSignal): Promise<Sender> {
    const { spec } = this.#parts;
    const calledAt = new Date();
    if (callId !== undefined) await this.#untilShown(callId, signal);
    const context = await this.context();
    return {
      spec,
      logId: this.#logId,
      thread: context?.thread,
      taskId: context?.taskId,
      calledAt,
      hasGot: (id) => this.inbox.hasGot(id),
    };
  }

  /** What the running turn is about. */
  context(): Promise<TurnContext | undefined> {
    const { bus, tasks } = this.#parts.office;
    return contextOf(this.id, this.view.state.turn?.messages ?? [], bus, tasks);
  }

  get #logId(): string {
    return this.record.note.log_id ?? this.spec.id;
  }

  /** Waits until the session's events show this tool call, since its turn determines thread and task. */
  async #untilShown(callId: string, signal: AbortSignal): Promise<void> {
    const shown = {
      view: this.view,
      untilCaughtUp: (waiting: AbortSignal) => this.#life.untilCaughtUp(waiting),
    };
    if (await isCallShown(callId, shown, signal)) return;
    // The call has sent its message before.
    if (await this.#parts.office.bus.get(idOfCall(this.#logId, callId))) return;
    throw callNotShown(this.id, callId);
  }

  /** Takes what waits in its inbox from now on, as far as its session can. */
  begin(): void {
    this.inbox.start();
  }

  /**
   * Keeps the agent alive. Resolves when it was stopped.
   *
   * @param publishedSeq the newest event of its session's log that the timeline has.
   */
  live(publishedSeq: number): Promise<void> {
    return this.#life.run(publishedSeq);
  }

  /** Ends its run in stages, each bounded. True when it had to be killed. */
  stop(): Promise<boolean> {
    return this.#life.stop(() => this.inbox.stop());
  }

  #makeReader(session: SessionClient, from: ReadFrom): SessionReader {
    const { office, replies, outbox, onDelta } = this.#parts;
    const { bus, tasks, timeline, spending, team } = office;
    const { id: agent, view, inbox, record, approver } = this;
    const stores = { agent, session, bus, tasks, timeline, inbox, replies, record };
    const onTrouble = this.#onTrouble;
    const maxLost = team.limits.delivery_attempts;
    return new SessionReader({
      ...stores,
      ...from,
      view,
      outbox,
      approver,
      settler: new TurnSettler({ ...stores, spending, maxLost, onTrouble }),
      onState: () => this.#show(),
      onDelta: (event) => onDelta(agent, event),
      onTrouble,
    });
  }

  #changed(life: Life<AgentSession>): void {
    if (life.at === "up") this.#show();
    else this.#enter(shownLife[life.at], "why" in life ? life.why : undefined);
    this.inbox.poke();
  }

  #enter(state: AgentState, reason?: string): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#parts.office.timeline.append({
      type: "agent_state",
      agent: this.spec.id,
      state,
      ...(reason !== undefined && { reason }),
    });
  }

  /** Its state as its session tells it. */
  #show(): void {
    if (openSessionOf(this.#life.now) === undefined) return;
    const { pending } = this.view.state;
    if (pending.size > 0) this.#enter("waiting");
    else this.#enter(this.view.isBusy ? "working" : "ready");
    this.inbox.poke();
  }
}
