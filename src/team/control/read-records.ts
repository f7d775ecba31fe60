import type { DeadLetter } from "../../bus/bus.ts";
import { errorOf } from "../../wire/errors.ts";
import type { AgentStatus } from "../../wire/team/agent-status.ts";
import type { TeamParams, TeamStatus } from "../../wire/team/control-methods.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import type { TeamResults } from "../../wire/team/method-results.ts";
import { USER } from "../../wire/team/reserved-senders.ts";
import type { TeamRecords } from "../team-records.ts";
import { turnOfMessage } from "../record/turn-of-message.ts";
import { restartsOf } from "../record/stored-restart-counts.ts";
import { accounts } from "../record/spending.ts";
import { reportTask } from "../tasks/task-report.ts";
import { eventFilter } from "../timeline/event-filter.ts";
import { wholeText } from "../timeline/cut-long-texts.ts";
import { readTimelinePage } from "../timeline/timeline-page.ts";
import { readAgentBlob, readAgentHistory } from "./read-agent-log.ts";
import { readBudgets } from "./read-budgets.ts";
import { readLog, readLogStats } from "./read-communication-log.ts";
import type { ReadSource } from "./read-source.ts";
import { readTasks } from "./read-tasks.ts";

type Reading =
  | "agent_blob"
  | "agent_history"
  | "budgets"
  | "dead_letters"
  | "log"
  | "log_stats"
  | "message"
  | "notices"
  | "task"
  | "tasks"
  | "team"
  | "text"
  | "timeline";

type Readers = {
  [Method in Reading]: (
    source: ReadSource,
    params: TeamParams<Method>,
  ) => Promise<TeamResults[Method]>;
};

/** More answers than one message ever gets. */
const MAX_ANSWERS = 100;

/** Methods of the control socket that only read. They serve a running team and a stopped one. */
export const readers: Readers = {
  timeline: async ({ teamRecords: { bus, timeline } }, params) =>
    readTimelinePage(timeline, params, await eventFilter(bus, params)),
  agent_history: (source, { agent, ...page }) => readAgentHistory(source, agent, page),
  agent_blob: (source, { agent, ...part }) => readAgentBlob(source, agent, part),
  team: ({ description }) => description(),
  budgets: (source) => readBudgets(source),
  tasks: ({ teamRecords }, params) => readTasks(teamRecords.tasks, params),
  task: ({ teamRecords }, { id }) => reportTask(teamRecords, id),
  log: ({ teamRecords }, params) => readLog(teamRecords, params),
  log_stats: ({ teamRecords }, params) => readLogStats(teamRecords, params),
  message: async ({ teamRecords: { bus, contents, timeline } }, { id }) => {
    const stored = await bus.get(id);
    if (!stored) {
      throw errorOf("unknown_request", `There is no message ${id}.`, {
        hint: "'switchboard log' lists the messages with their ids.",
      });
    }
    const { message, state, attempts, sentAt } = stored;
    const replies = await bus.history({ replyTo: id, limit: MAX_ANSWERS });
    const answered = message.from_agent === USER && (await timeline.answerTo(id, sentAt));
    const turn = await turnOfMessage(bus.records, id);
    const content = await contents.of(id);
    return {
      message,
      state,
      attempts,
      answers: replies.items.map((reply) => reply.message),
      ...(content && { content }),
      ...(turn && { turn }),
      ...(answered && { answered }),
    };
  },
  text: async ({ teamRecords: { bus, timeline } }, { seq }) => {
    const text = await wholeText(bus.records, await timeline.at(seq));
    if (text !== undefined) return { seq, text };
    throw errorOf("unknown_request", `There is no event ${seq} with a text.`, {
      data: { seq, last_seq: timeline.lastSeq },
      hint: "Use the seq of an event said, thought or answered.",
    });
  },
  notices: async ({ teamRecords }, { limit }) => ({
    notices: await teamRecords.notices.list(limit),
  }),
  dead_letters: async ({ teamRecords: { bus } }, { id, all, limit }) => {
    const { deadLetters } = bus;
    if (id === undefined) {
      return { dead_letters: (await deadLetters.list({ all, limit })).items.map(inWireNames) };
    }
    const letter = await deadLetters.get(id);
    if (!letter) throw noDeadLetter(id);
    return { dead_letters: [inWireNames(letter)] };
  },
};

/** `diedAt` and `resentAs` stay beside them for as long as the protocol has version 1. */
const inWireNames = (letter: DeadLetter) => ({
  ...letter,
  died_at: letter.diedAt,
  resent_as: letter.resentAs,
});

export const noDeadLetter = (id: string) =>
  errorOf(
    "unknown_request",
    `There is no dead letter ${id}, or it was already resent or discarded.`,
    {
      hint: "'switchboard dlq' lists them.",
    },
  );

type Counts =
  | "log_id"
  | "last_seq"
  | "open_tasks"
  | "dead_letters"
  | "refusals"
  | "open_notices"
  | "cost_usd";

/** What the records say of the team as a whole. */
export async function countsOf(teamRecords: TeamRecords): Promise<Pick<TeamStatus, Counts>> {
  const { bus, spending, tasks, timeline } = teamRecords;
  return {
    log_id: timeline.logId,
    last_seq: timeline.lastSeq,
    open_tasks: tasks.open().length,
    dead_letters: (await bus.deadLetters.list({ limit: 1000 })).items.length,
    refusals: await teamRecords.refusals(),
    open_notices: teamRecords.notices.count,
    cost_usd: (await spending.of(accounts.team)).usd,
  };
}

/** What the records say of one agent. */
export async function accountOf(
  { bus, spending }: TeamRecords,
  id: AgentId,
): Promise<Pick<AgentStatus, "cost_usd" | "tokens" | "turns" | "restarts">> {
  const { usd, tokens, turns } = await spending.of(accounts.agent(id));
  return { cost_usd: usd, tokens, turns, restarts: await restartsOf(bus.records, id) };
}
