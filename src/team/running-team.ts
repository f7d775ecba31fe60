import { randomUUID } from "node:crypto";
import type { ContentBlock } from "../wire/content.ts";
import { errorOf } from "../wire/errors.ts";
import type { DropOutcome } from "../wire/session/answers.ts";
import type { AgentId, CCMessage, Priority } from "../wire/team/messages.ts";
import { USER } from "../wire/team/reserved-senders.ts";
import type { Agent } from "./agents/agent.ts";
import type { TaskCanceller } from "./agents/cancel-task.ts";
import type { DeltaListener, TextDeltas } from "./agents/send-text-deltas.ts";
import type { TeamRecords } from "./team-records.ts";
import type { Admission } from "./delivery/admission.ts";
import type { Outbox } from "./delivery/outbox.ts";
import type { Waits } from "./delivery/open-waits.ts";
import type { Team } from "./file/team.ts";
import type { AgentLogs } from "./host/agent-host.ts";
import { composeMessage } from "./messages/compose-message.ts";
import { contentAsText } from "./messages/content-as-text.ts";
import type { TeamLifecycle } from "./team-lifecycle.ts";

export interface RunningTeamOptions {
  readonly team: Team;
  readonly teamRecords: TeamRecords;
  readonly agents: ReadonlyMap<AgentId, Agent>;
  readonly waits: Waits;
  readonly deltas: Pick<TextDeltas, "listen">;
  readonly admission: Pick<Admission, "admitUser" | "admitDead">;
  readonly outbox: Pick<Outbox, "send" | "resend">;
  readonly canceller: Pick<TaskCanceller, "cancel" | "takeBack">;
  readonly life: Pick<TeamLifecycle, "stop" | "leave">;
  /** Where the logs of its agents are. */
  readonly logs: AgentLogs;
  readonly firstSeq: number;
  readonly rehearsalUrl: string | undefined;
}

/** A team at work, as people and their programs use it. The control socket serves it. */
export class RunningTeam {
  readonly team: Team;
  readonly teamRecords: TeamRecords;
  readonly agents: ReadonlyMap<AgentId, Agent>;
  /** The calls that wait for an answer now. */
  readonly waits: Waits;
  /** Where the logs of its agents are. */
  readonly logs: AgentLogs;
  readonly rehearsalUrl: string | undefined;
  /** The last event of earlier processes. */
  readonly firstSeq: number;
  readonly #deltas: RunningTeamOptions["deltas"];
  readonly #admission: RunningTeamOptions["admission"];
  readonly #outbox: RunningTeamOptions["outbox"];
  readonly #canceller: RunningTeamOptions["canceller"];
  readonly #life: RunningTeamOptions["life"];

  constructor(options: RunningTeamOptions) {
    this.team = options.team;
    this.teamRecords = options.teamRecords;
    this.agents = options.agents;
    this.waits = options.waits;
    this.logs = options.logs;
    this.rehearsalUrl = options.rehearsalUrl;
    this.firstSeq = options.firstSeq;
    this.#deltas = options.deltas;
    this.#admission = options.admission;
    this.#outbox = options.outbox;
    this.#canceller = options.canceller;
    this.#life = options.life;
  }

  /**
   * What the user says to the lead: words, or blocks with pictures. Resolves when it is durable.
   *
   * @throws what refuses it; `message_conflict` when another message has this id.
   */
  async send(
    said: string | readonly ContentBlock[],
    options: { id?: string; priority?: Priority } = {},
  ): Promise<string> {
    const { bus, contents } = this.teamRecords;
    const { id = randomUUID(), priority = "normal" } = options;
    const content = typeof said === "string" ? undefined : said;
    const words = typeof said === "string" ? said : contentAsText(said);
    const message = composeMessage({
      id,
      from: USER,
      input: { to: this.team.lead, content: words, metadata: { priority } },
      answered: undefined,
      thread: undefined,
      now: new Date(),
    });
    if (await bus.get(id)) {
      // The bus knows whether this is the same message again or another one, and takes neither.
      await bus.send(message);
      await contents.checkSame(id, content);
      return id;
    }
    const admitted = await this.#admission.admitUser(message);
    if (content) await contents.keep(id, content);
    await this.#outbox.send(admitted);
    return id;
  }

  /** Cancels a task with its parts. Returns false when it is not open. */
  cancel(id: string, by: string): Promise<boolean> {
    return this.#canceller.cancel(id, by);
  }

  /**
   * Takes a message of the user back that the model has not read. Undefined when there is none of that id.
   *
   * @throws `agent_unavailable` while that is not known.
   */
  takeBack(id: string, by: string): Promise<DropOutcome | undefined> {
    return this.#canceller.takeBack(id, by);
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

  /** @throws `agent_not_found`. */
  agent(id: AgentId): Agent {
    const agent = this.agents.get(id);
    if (agent) return agent;
    throw errorOf("agent_not_found", `There is no agent ${id} in this team.`, {
      hint: "'switchboard status' lists its agents.",
    });
  }

  onDelta(listener: DeltaListener): () => void {
    return this.#deltas.listen(listener);
  }

  /** Another office has the team, or is to have it: lets its agents go on, as far as that one reaches them. */
  leave(): Promise<void> {
    return this.#life.leave();
  }

  /** Ends all agents in stages, each bounded, and then the rest. May be called again. */
  stop(by?: string): Promise<void> {
    return this.#life.stop(by);
  }
}
