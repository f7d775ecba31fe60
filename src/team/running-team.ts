import { randomUUID } from "node:crypto";
import { errorOf } from "../wire/errors.ts";
import type { AgentId, CCMessage, Priority } from "../wire/team/messages.ts";
import { USER } from "../wire/team/senders.ts";
import type { Agent } from "./agents/agent.ts";
import type { TaskCanceller } from "./agents/cancel-task.ts";
import type { DeltaListener, Deltas } from "./agents/deltas.ts";
import type { Books } from "./books.ts";
import type { Admission } from "./delivery/admit.ts";
import type { Outbox } from "./delivery/outbox.ts";
import type { Waits } from "./delivery/waits.ts";
import type { Team } from "./file/team.ts";
import { compose } from "./messages/compose.ts";
import type { TeamLife } from "./team-life.ts";

export interface RunningTeamOptions {
  readonly team: Team;
  readonly books: Books;
  readonly agents: ReadonlyMap<AgentId, Agent>;
  readonly waits: Waits;
  readonly deltas: Pick<Deltas, "listen">;
  readonly admission: Pick<Admission, "admitUser" | "admitDead">;
  readonly outbox: Pick<Outbox, "send" | "resend">;
  readonly canceller: Pick<TaskCanceller, "cancel">;
  readonly life: Pick<TeamLife, "stop">;
  readonly firstSeq: number;
  readonly rehearsalUrl: string | undefined;
}

/** A team at work, as people and their programs use it. The control socket serves it. */
export class RunningTeam {
  readonly team: Team;
  readonly books: Books;
  readonly agents: ReadonlyMap<AgentId, Agent>;
  /** The calls that wait for an answer now. */
  readonly waits: Waits;
  readonly rehearsalUrl: string | undefined;
  /** The last event of the processes before this one. */
  readonly firstSeq: number;
  readonly #deltas: RunningTeamOptions["deltas"];
  readonly #admission: RunningTeamOptions["admission"];
  readonly #outbox: RunningTeamOptions["outbox"];
  readonly #canceller: RunningTeamOptions["canceller"];
  readonly #life: RunningTeamOptions["life"];

  constructor(options: RunningTeamOptions) {
    this.team = options.team;
    this.books = options.books;
    this.agents = options.agents;
    this.waits = options.waits;
    this.rehearsalUrl = options.rehearsalUrl;
    this.firstSeq = options.firstSeq;
    this.#deltas = options.deltas;
    this.#admission = options.admission;
    this.#outbox = options.outbox;
    this.#canceller = options.canceller;
    this.#life = options.life;
  }

  /** What the user says to the lead. Resolves when it is durable. */
  async send(text: string, options: { id?: string; priority?: Priority } = {}): Promise<string> {
    const { bus } = this.books;
    const { id = randomUUID(), priority = "normal" } = options;
    const message = compose({
      id,
      from: USER,
      input: { to: this.team.lead, content: text, metadata: { priority } },
      answered: undefined,
      thread: undefined,
      now: new Date(),
    });
    if (await bus.get(id)) {
      // The bus knows whether this is the same message again or another one, and takes neither.
      await bus.send(message);
      return id;
    }
    await this.#outbox.send(await this.#admission.admitUser(message));
    return id;
  }

  /** Takes a task back, with its parts. Returns false when it is not open. */
  cancel(id: string, by: string): Promise<boolean> {
    return this.#canceller.cancel(id, by);
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

  onDelta(listener: DeltaListener): () => void {
    return this.#deltas.listen(listener);
  }

  /** Ends all agents in stages, each bounded, and then the rest. May be called again. */
  stop(by?: string): Promise<void> {
    return this.#life.stop(by);
  }
}
