import type { SessionClient, SessionView } from "../../client/index.ts";
import type { AgentState } from "../../wire/team/events.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import type { AgentInbox } from "../delivery/inbox.ts";
import type { AgentSpec } from "../file/team.ts";
import type { HostedAgent, RunFacts } from "../host/agent-host.ts";
import type { AgentRunner } from "./agent-runner.ts";
import type { AgentRecord } from "./stored-agent-record.ts";
import type { Approver } from "./decide-approvals.ts";
import type { SenderOfCall } from "./sender-of-call.ts";
import type { Life } from "./agent-states.ts";
import { openSessionOf, sessionOf } from "./agent-states.ts";
import type { ShownState } from "./publish-agent-state.ts";

export interface AgentOptions {
  readonly spec: AgentSpec;
  readonly record: AgentRecord;
  readonly hosted: Pick<HostedAgent, "facts" | "logHint">;
  readonly view: SessionView;
  readonly life: AgentRunner;
  readonly shown: Pick<ShownState, "now" | "reason" | "since">;
  readonly inbox: AgentInbox;
  readonly approver: Approver;
  readonly calls: Pick<SenderOfCall, "context">;
}

/** One agent: its life, what is known of its session, and its inbox. */
export class Agent {
  readonly id: AgentId;
  readonly spec: AgentSpec;
  readonly record: AgentRecord;
  readonly view: SessionView;
  readonly inbox: AgentInbox;
  readonly approver: Approver;
  readonly #hosted: AgentOptions["hosted"];
  readonly #life: AgentRunner;
  readonly #shown: AgentOptions["shown"];
  readonly #calls: AgentOptions["calls"];

  constructor(options: AgentOptions) {
    this.id = options.spec.id;
    this.spec = options.spec;
    this.record = options.record;
    this.view = options.view;
    this.inbox = options.inbox;
    this.approver = options.approver;
    this.#hosted = options.hosted;
    this.#life = options.life;
    this.#shown = options.shown;
    this.#calls = options.calls;
  }

  /** As people see it. */
  get state(): AgentState {
    return this.#shown.now;
  }

  /** Why it is in that state, when that is known. */
  get reason(): string | undefined {
    return this.#shown.reason;
  }

  /** Since when it is in that state. */
  get since(): string {
    return this.#shown.since;
  }

  /** Facts of its run, for people. */
  get facts(): RunFacts {
    return this.#hosted.facts;
  }

  get logHint(): string {
    return this.#hosted.logHint;
  }

  /** Undefined while the session cannot, or may not, get messages. */
  get session(): SessionClient | undefined {
    return openSessionOf(this.#life.now)?.client;
  }

  /** The session, also while it may not get messages. */
  get connection(): SessionClient | undefined {
    return sessionOf(this.#life.now)?.client;
  }

  /** Where it is in its life. */
  get at(): Life<unknown>["at"] {
    return this.#life.now.at;
  }

  /** Whether its running turn is about this task at the moment when this resolves. */
  async isWorkingOn(taskId: string): Promise<boolean> {
    for (;;) {
      const turnId = this.view.state.turn?.turnId;
      const context = await this.#calls.context();
      if (this.view.state.turn?.turnId === turnId) return context?.taskId === taskId;
    }
  }

  /** Starts an agent that hibernates, is quarantined or was stopped by a person. */
  start(): Promise<void> {
    return this.#life.switchOn();
  }

  /** Stops it until a person starts it, also over a restart of the team. Resolves when its run has ended. */
  halt(by: string): Promise<void> {
    return this.#life.switchOff(by);
  }

  /** Moves it to another machine. Returns the one that has it now. */
  moveTo(...move: Parameters<HostedAgent["moveTo"]>): ReturnType<HostedAgent["moveTo"]> {
    return this.#life.moveTo(...move);
  }

  /** Puts an agent to sleep that has nothing to do. Returns false for one that has, or is not up. */
  hibernate(): Promise<boolean> {
    return this.#life.hibernate();
  }

  /** From now on the inbox delivers what waits in it, as far as the session can take it. */
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

  /** Another office has the team: lets a run go on that it reaches too, and ends any other. */
  leaveToOffice(): Promise<void> {
    return this.#life.leaveToOffice(() => this.inbox.stop());
  }

  /** Ends its run in stages, each bounded. True when it had to be killed. */
  stop(): Promise<boolean> {
    return this.#life.stop(() => this.inbox.stop());
  }
}
