import { errorOf } from "../../wire/errors.ts";
import type { TeamMethod, TeamParams, TeamStatus } from "../../wire/team-control.ts";
import type { Agent } from "../agents/agent.ts";
import type { Decision } from "../agents/approver.ts";
import { purses } from "../record/spending.ts";
import type { RunningTeam } from "../running-team.ts";

/** What a client is called in records of who decided. */
export interface Caller {
  readonly name: string;
}

type Handlers = {
  [Method in Exclude<TeamMethod, "attach" | "down" | "hello">]: (
    team: RunningTeam,
    params: TeamParams<Method>,
    caller: Caller,
  ) => Promise<unknown>;
};

/** What each method of the control socket does. */
export const handlers: Handlers = {
  ping: async () => ({ pong: true }),
  status: (team) => statusOf(team),
  send: async (team, { text, id, priority }) => ({
    id: await team.send(text, { priority, ...(id !== undefined && { id }) }),
  }),
  tasks: async ({ office }, { all, limit }) => ({
    tasks: all ? await office.tasks.list(limit) : office.tasks.open().slice(0, limit),
  }),
  cancel: async (team, { task }, { name }) => {
    if (await team.cancel(task, name)) return { canceled: true };
    throw errorOf("unknown_request", `There is no open task ${task}.`, {
      hint: "'switchboard tasks' lists the open ones.",
    });
  },
  approvals: async (team) => ({
    approvals: [...team.agents.values()].flatMap(({ spec, approver }) =>
      approver.pending.map((request) => ({ agent: spec.id, request })),
    ),
  }),
  approve: (team, { request_id, scope }, caller) =>
    decide(team, request_id, { action: "approve", scope }, caller),
  deny: (team, { request_id, reason }, caller) =>
    decide(team, request_id, { action: "deny", ...(reason !== undefined && { reason }) }, caller),
  answer: (team, { request_id, answers }, caller) =>
    decide(team, request_id, { action: "answer", answers }, caller),
  log: ({ office }, { level, from, to, type, limit, before }) =>
    office.communication.query({
      level,
      limit,
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      ...(type !== undefined && { type }),
      ...(before !== undefined && { before }),
    }),
  message: async ({ office }, { id }) => {
    const stored = await office.bus.get(id);
    if (!stored) throw errorOf("unknown_request", `There is no message ${id}.`);
    return { message: stored.message, state: stored.state, attempts: stored.attempts };
  },
  dead_letters: async ({ office }, { id, all, limit }) => {
    const { deadLetters } = office.bus;
    if (id === undefined) return { dead_letters: (await deadLetters.list({ all, limit })).items };
    const letter = await deadLetters.get(id);
    if (!letter) throw noDeadLetter(id);
    return { dead_letters: [letter] };
  },
  resend: async (team, { id }) => {
    const message = await team.resend(id);
    if (!message) throw noDeadLetter(id);
    return { id: message.id };
  },
  discard: async ({ office }, { id }) => {
    if (!(await office.bus.deadLetters.discard(id))) throw noDeadLetter(id);
    return { discarded: true };
  },
  restart: async (team, { agent }) => {
    team.restart(agent);
    return { restarting: agent };
  },
};

const noDeadLetter = (id: string) =>
  errorOf("unknown_request", `There is no dead letter ${id}, or it was dealt with.`, {
    hint: "'switchboard dlq' lists them.",
  });

async function decide(
  team: RunningTeam,
  requestId: string,
  decision: Decision,
  { name }: Caller,
): Promise<{ agent: string }> {
  const agent = [...team.agents.values()].find(({ desk }) => desk.state.pending.has(requestId));
  if (!agent) {
    throw errorOf("unknown_request", `No agent waits for a decision on ${requestId}.`, {
      hint: "'switchboard approvals' lists what is pending.",
    });
  }
  await agent.approver.decide(requestId, decision, { by: name });
  return { agent: agent.spec.id };
}

export async function statusOf(team: RunningTeam): Promise<TeamStatus> {
  const { office, agents, rehearsalUrl } = team;
  const { bus, spending, tasks, timeline } = office;
  const inboxes = await bus.counts();
  const dead = await bus.deadLetters.list({ limit: 1000 });
  const spent = await spending.of(purses.team);
  const agentStatus = async ({ spec, state, pid, place, approver }: Agent) => {
    const { usd, turns } = await spending.of(purses.agent(spec.id));
    return {
      id: spec.id,
      description: spec.description,
      state,
      lead: spec.id === office.team.lead,
      ...(pid !== undefined && { pid }),
      socket: place.socket,
      observe_socket: place.observe,
      inbox: inboxes[spec.id] ?? 0,
      pending: approver.pending.length,
      cost_usd: usd,
      turns,
    };
  };
  return {
    team: office.team.name,
    lead: office.team.lead,
    rehearsal: rehearsalUrl !== undefined,
    pid: process.pid,
    log_id: timeline.logId,
    last_seq: timeline.lastSeq,
    agents: await Promise.all([...agents.values()].map(agentStatus)),
    open_tasks: tasks.open().length,
    dead_letters: dead.items.length,
    refusals: await office.refusals(),
    cost_usd: spent.usd,
  };
}
