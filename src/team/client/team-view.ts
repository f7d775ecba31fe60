import type { TeamApproval } from "../../wire/team/control.ts";
import type { AgentState, TeamEvent, TeamEventOf } from "../../wire/team/events.ts";
import type { AgentId, CCMessage } from "../../wire/team/messages.ts";
import type { Task, TaskState } from "../../wire/team/task.ts";
import type { TeamItem } from "./team-reader.ts";

/** What the timeline tells of one agent. */
export interface AgentView {
  readonly state: AgentState;
  /** Why it is in that state, when the team has said so. */
  readonly reason: string | undefined;
  readonly costUsd: number;
  readonly turns: number;
  /** What it said last, as far as it has come. */
  readonly text: string;
}

/** A message between agents, and how far it has come. */
export interface MessageView {
  /** With the beginning of its content when that is long. */
  readonly message: CCMessage;
  readonly step: "sent" | TeamEventOf<"message_moved">["step"];
}

/** How many of the newest messages a view keeps. */
const MAX_MESSAGES = 1000;

const open: ReadonlySet<TaskState> = new Set(["submitted", "working", "input_required"]);

const newAgent: AgentView = {
  state: "starting",
  reason: undefined,
  costUsd: 0,
  turns: 0,
  text: "",
};

/** What a view knows before its first event. */
const nothing = () => ({
  lastSeq: 0,
  team: "",
  lead: "",
  isStopping: false,
  agents: new Map<AgentId, AgentView>(),
  openTasks: new Map<string, Task>(),
  approvals: new Map<string, TeamApproval>(),
  messages: new Map<string, MessageView>(),
});

/**
 * What a program knows of a team, folded from its timeline: give each item that `TeamClient.follow` brings to `apply`.
 * With events from the first on (`since: 0`) it is complete. It works in a browser too.
 */
export class TeamView {
  #known = nothing();

  /** The number of the newest event. */
  get lastSeq(): number {
    return this.#known.lastSeq;
  }

  get team(): string {
    return this.#known.team;
  }

  get lead(): AgentId {
    return this.#known.lead;
  }

  /** The team's process is ending, or has ended. */
  get isStopping(): boolean {
    return this.#known.isStopping;
  }

  get agents(): ReadonlyMap<AgentId, AgentView> {
    return this.#known.agents;
  }

  /** Tasks that have not ended, by the id of their request. */
  get openTasks(): ReadonlyMap<string, Task> {
    return this.#known.openTasks;
  }

  /** Decisions that agents wait for, by the id of the request. */
  get approvals(): ReadonlyMap<string, TeamApproval> {
    return this.#known.approvals;
  }

  /** The newest messages between agents, oldest first. */
  get messages(): ReadonlyMap<string, MessageView> {
    return this.#known.messages;
  }

  /** The cost of all turns. */
  get costUsd(): number {
    return [...this.agents.values()].reduce((sum, { costUsd }) => sum + costUsd, 0);
  }

  apply(item: TeamItem): void {
    if (item.type === "reset") this.#known = nothing();
    else if (item.type === "delta") {
      const text = (this.#known.agents.get(item.agent)?.text ?? "") + item.text;
      this.#change(item.agent, { text });
    } else if (item.seq > this.#known.lastSeq) {
      this.#known.lastSeq = item.seq;
      this.#apply(item);
    }
  }

  #apply(event: TeamEvent): void {
    const known = this.#known;
    switch (event.type) {
      case "team_started":
        this.#start(event);
        break;
      case "team_stopping":
        known.isStopping = true;
        break;
      case "agent_state":
        this.#change(event.agent, { state: event.state, reason: event.reason });
        break;
      case "message_sent":
        this.#addMessage(event.message);
        break;
      case "message_moved":
        this.#moveMessage(event);
        break;
      case "task_changed":
        if (open.has(event.task.state)) known.openTasks.set(event.task.id, event.task);
        else known.openTasks.delete(event.task.id);
        break;
      case "turn_started":
        this.#change(event.agent, { text: "" });
        break;
      case "said":
        this.#change(event.agent, { text: event.text });
        break;
      case "turn_ended": {
        const { costUsd, turns } = known.agents.get(event.agent) ?? newAgent;
        this.#change(event.agent, { costUsd: costUsd + event.cost_usd, turns: turns + 1 });
        break;
      }
      case "approval_requested": {
        const { agent, request } = event;
        known.approvals.set(request.request_id, { agent, request });
        break;
      }
      case "approval_resolved":
        known.approvals.delete(event.request_id);
        break;
      default:
        break;
    }
  }

  /** A process of the team asks anew what agents of the process before it were waiting for. */
  #start({ team, lead, agents }: TeamEventOf<"team_started">): void {
    const known = this.#known;
    Object.assign(known, { team, lead, isStopping: false });
    known.approvals.clear();
    const before = known.agents;
    known.agents = new Map(
      agents.map((id) => [id, { ...(before.get(id) ?? newAgent), state: "starting" as const }]),
    );
  }

  #change(agent: AgentId, change: Partial<AgentView>): void {
    const { agents } = this.#known;
    agents.set(agent, { ...(agents.get(agent) ?? newAgent), ...change });
  }

  #addMessage(message: CCMessage): void {
    const { messages } = this.#known;
    messages.set(message.id, { message, step: "sent" });
    const [oldest] = messages.keys();
    if (messages.size > MAX_MESSAGES && oldest !== undefined) messages.delete(oldest);
  }

  #moveMessage({ id, step }: TeamEventOf<"message_moved">): void {
    const { messages } = this.#known;
    const known = messages.get(id);
    if (known) messages.set(id, { ...known, step });
  }
}
