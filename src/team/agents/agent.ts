import type { SessionClient, SessionView } from "../../client/index.ts";
import type { AgentState } from "../../wire/team/events.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import type { AgentInbox } from "../delivery/inbox.ts";
import type { AgentSpec } from "../file/team.ts";
import type { HostedAgent, RunFacts } from "../host/agent-host.ts";
import type { AgentLife } from "./agent-life.ts";
import type { AgentRecord } from "./agent-record.ts";
import type { Approver } from "./approver.ts";
import type { CallSender } from "./call-sender.ts";
import { openSessionOf } from "./life.ts";
import type { ShownState } from "./shown-state.ts";

export interface AgentOptions {
  readonly spec: AgentSpec;
  readonly record: AgentRecord;
  readonly hosted: Pick<HostedAgent, "facts" | "logHint">;
  readonly view: SessionView;
  readonly life: AgentLife;
  readonly shown: Pick<ShownState, "now">;
  readonly inbox: AgentInbox;
  readonly approver: Approver;
  readonly calls: Pick<CallSender, "context">;
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
  readonly #life: AgentLife;
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

  /** Of its run, for people. */
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

  /** Is its running turn about this task? It is so in the moment in which this resolves. */
  async isWorkingOn(taskId: string): Promise<boolean> {
    for (;;) {
      const turnId = this.view.state.turn?.turnId;
      const context = await this.#calls.context();
      if (this.view.state.turn?.turnId === turnId) return context?.taskId === taskId;
    }
  }

  /** Starts an agent that hibernates or is quarantined. */
  restart(): void {
    this.#life.wake();
    this.#life.lift();
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
}
