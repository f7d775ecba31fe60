import type { TeamApproval } from "../../wire/team/control-methods.ts";
import type { AgentState, TeamEvent, TeamEventOf, TurnPlace } from "../../wire/team/events.ts";
import type { AgentId, CCMessage } from "../../wire/team/messages.ts";
import type { Task, TaskState } from "../../wire/team/task.ts";
import type { TeamItem } from "./team-reader.ts";

/** What the timeline tells of one agent. */
export interface AgentView {
  readonly state: AgentState;
  /** Why it is in that state, when the team has said so. */
  readonly reason: string | undefined;
  /** When that state began, as the team's clock says; empty before the first event. */
  readonly since: string;
  /** The other machine that has it, when the team has said so. */
  readonly host?: string | undefined;
  readonly costUsd: number;
  readonly tokens: number;
  readonly turns: number;
  /** The turn that runs now. */
  readonly turn: { readonly id: string; readonly startedAt: string } | undefined;
  /** The newest tool call that has no result yet. */
  readonly current: Pick<TeamEventOf<"tool_called">, "request_id" | "tool" | "summary"> | undefined;
  /** What it is saying or said last, as far as it is known; of a long text that is complete, the beginning. */
  readonly text: string;
}

/** A message between agents, and how far it has come. */
export interface MessageView {
  /** With the beginning of its content when that is long. */
  readonly message: CCMessage;
  readonly step: "sent" | TeamEventOf<"message_moved">["step"];
  /** The turn in which its recipient deals with it, once the recipient has seen it. */
  readonly turn?: TurnPlace;
}

/** How many of the newest messages, notices, refusals and ended tasks a view keeps. */
const MAX_KEPT = 1000;

const open: ReadonlySet<TaskState> = new Set(["submitted", "working", "input_required"]);

const newAgent: AgentView = {
  state: "starting",
  reason: undefined,
  since: "",
  costUsd: 0,
  tokens: 0,
  turns: 0,
  turn: undefined,
  current: undefined,
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
  endedTasks: new Map<string, Task>(),
  approvals: new Map<string, TeamApproval>(),
  messages: new Map<string, MessageView>(),
  notices: new Map<string, TeamEventOf<"notice">>(),
  refusals: [] as TeamEventOf<"refused">[],
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

  /** The newest tasks that have ended, by the id of their request, in the order of their end. */
  get endedTasks(): ReadonlyMap<string, Task> {
    return this.#known.endedTasks;
  }

  /** Decisions that agents wait for, by the id of the request. */
  get approvals(): ReadonlyMap<string, TeamApproval> {
    return this.#known.approvals;
  }

  /** The newest messages between agents, oldest first. */
  get messages(): ReadonlyMap<string, MessageView> {
    return this.#known.messages;
  }

  /** Warnings and errors that nobody has acknowledged, the newest of them, oldest first. */
  get notices(): ReadonlyMap<string, TeamEventOf<"notice">> {
    return this.#known.notices;
  }

  /** The newest messages that a rule refused, oldest first. */
  get refusals(): readonly TeamEventOf<"refused">[] {
    return this.#known.refusals;
  }

  /** The cost of all turns. */
  get costUsd(): number {
    return [...this.agents.values()].reduce((sum, { costUsd }) => sum + costUsd, 0);
  }

  /** Another view that knows the same; what one of them learns later, the other does not. */
  copy(): TeamView {
    const copy = new TeamView();
    // The values in the maps are replaced, never changed.
    const { agents, openTasks, endedTasks, approvals, messages, notices, ...rest } = this.#known;
    copy.#known = {
      ...rest,
      agents: new Map(agents),
      openTasks: new Map(openTasks),
      endedTasks: new Map(endedTasks),
      approvals: new Map(approvals),
      messages: new Map(messages),
      notices: new Map(notices),
    };
    return copy;
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

  /** Takes up requests that were asked before the first event that this view gets: those of the method `approvals`. */
  learnApprovals(approvals: readonly TeamApproval[]): void {
    for (const each of approvals) this.#known.approvals.set(each.request.request_id, each);
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
        this.#change(event.agent, {
          state: event.state,
          reason: event.reason,
          since: event.since ?? event.at,
          host: event.host,
        });
        break;
      case "message_sent":
        this.#addMessage(event.message);
        break;
      case "message_moved":
        this.#moveMessage(event);
        break;
      case "refused":
        known.refusals = [...known.refusals, event].slice(-MAX_KEPT);
        break;
      case "task_changed":
        this.#setTask(event.task);
        break;
      case "turn_started": {
        const turn = { id: event.turn_id, startedAt: event.at };
        this.#change(event.agent, { text: "", turn, current: undefined });
        break;
      }
      case "tool_called": {
        const { request_id, tool, summary } = event;
        this.#change(event.agent, { current: { request_id, tool, summary } });
        break;
      }
      case "tool_ended":
        if (known.agents.get(event.agent)?.current?.request_id === event.request_id) {
          this.#change(event.agent, { current: undefined });
        }
        break;
      case "said":
        this.#change(event.agent, { text: event.text });
        break;
      case "turn_ended":
        this.#endTurn(event);
        break;
      case "approval_requested": {
        const { agent, request } = event;
        known.approvals.set(request.request_id, { agent, request });
        break;
      }
      case "approval_held":
        this.#hold(event);
        break;
      case "approval_resolved":
        known.approvals.delete(event.request_id);
        break;
      case "notice":
        if (event.id !== undefined && event.level !== "info") {
          keepNewest(known.notices, event.id, event);
        }
        break;
      case "notice_acknowledged":
        known.notices.delete(event.id);
        break;
      default:
        break;
    }
  }

  /** A new process of the team asks again what agents of the previous one were waiting for. */
  #start({ team, lead, agents }: TeamEventOf<"team_started">): void {
    const known = this.#known;
    Object.assign(known, { team, lead, isStopping: false });
    known.approvals.clear();
    const before = known.agents;
    known.agents = new Map(
      agents.map((id) => [id, { ...(before.get(id) ?? newAgent), state: "starting" as const }]),
    );
  }

  #hold({ request_id, deadline, remaining_ms }: TeamEventOf<"approval_held">): void {
    const { approvals } = this.#known;
    const known = approvals.get(request_id);
    if (!known || known.request.type === "notice") return;
    approvals.set(request_id, { ...known, request: { ...known.request, deadline, remaining_ms } });
  }

  #change(agent: AgentId, change: Partial<AgentView>): void {
    const { agents } = this.#known;
    agents.set(agent, { ...(agents.get(agent) ?? newAgent), ...change });
  }

  #endTurn({ agent, cost_usd, tokens: used }: TeamEventOf<"turn_ended">): void {
    const { costUsd, tokens, turns } = this.#known.agents.get(agent) ?? newAgent;
    const spent = { costUsd: costUsd + cost_usd, tokens: tokens + used, turns: turns + 1 };
    this.#change(agent, { ...spent, turn: undefined, current: undefined });
  }

  #setTask(task: Task): void {
    const { openTasks, endedTasks } = this.#known;
    if (open.has(task.state)) {
      openTasks.set(task.id, task);
      return;
    }
    openTasks.delete(task.id);
    keepNewest(endedTasks, task.id, task);
  }

  #addMessage(message: CCMessage): void {
    keepNewest(this.#known.messages, message.id, { message, step: "sent" });
  }

  #moveMessage({ id, step, turn }: TeamEventOf<"message_moved">): void {
    const { messages } = this.#known;
    const known = messages.get(id);
    if (known) messages.set(id, { ...known, step, ...(turn && { turn }) });
  }
}

function keepNewest<Value>(kept: Map<string, Value>, key: string, value: Value): void {
  kept.set(key, value);
  const [oldest] = kept.keys();
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
}
