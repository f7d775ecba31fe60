import { errorOf } from "../../wire/errors.ts";
import type { TeamApproval, TeamMethod, TeamParams, TeamStatus } from "../../wire/team/control.ts";
import type { Agent } from "../agents/agent.ts";
import type { Decision } from "../agents/approver.ts";
import { TEAM_SERVER } from "../file/server-issues.ts";
import type { RunningTeam } from "../running-team.ts";
import { accountOf, countsOf, noDeadLetter, readers } from "./read-books.ts";

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
  tasks: ({ books }, params) => readers.tasks(books, params),
  cancel: async (team, { task }, { name }) => {
    if (await team.cancel(task, name)) return { canceled: true };
    throw errorOf("unknown_request", `There is no open task ${task}.`, {
      hint: "'switchboard tasks' lists the open ones.",
    });
  },
  approvals: async (team) => ({ approvals: approvalsOf(team) }),
  approve: (team, { request_id, scope }, caller) =>
    decide(team, request_id, { action: "approve", scope }, caller),
  deny: (team, { request_id, reason }, caller) =>
    decide(team, request_id, { action: "deny", ...(reason !== undefined && { reason }) }, caller),
  answer: (team, { request_id, answers }, caller) =>
    decide(team, request_id, { action: "answer", answers }, caller),
  log: ({ books }, params) => readers.log(books, params),
  message: ({ books }, params) => readers.message(books, params),
  dead_letters: ({ books }, params) => readers.dead_letters(books, params),
  resend: async (team, { id }) => {
    const message = await team.resend(id);
    if (!message) throw noDeadLetter(id);
    return { id: message.id };
  },
  discard: async ({ books }, { id }) => {
    if (!(await books.bus.deadLetters.discard(id))) throw noDeadLetter(id);
    return { discarded: true };
  },
  restart: async (team, { agent }) => {
    team.restart(agent);
    return { restarting: agent };
  },
};

export const approvalsOf = ({ agents }: RunningTeam): TeamApproval[] =>
  [...agents.values()].flatMap(({ spec, approver }) =>
    approver.pending.map((request) => ({ agent: spec.id, request })),
  );

async function decide(
  team: RunningTeam,
  requestId: string,
  decision: Decision,
  { name }: Caller,
): Promise<{ agent: string }> {
  const agent = [...team.agents.values()].find(({ approver }) =>
    approver.pending.some(({ request_id }) => request_id === requestId),
  );
  if (!agent) {
    throw errorOf("unknown_request", `No agent waits for a decision on ${requestId}.`, {
      hint: "'switchboard approvals' lists what is pending.",
    });
  }
  await agent.approver.decide(requestId, decision, { by: name });
  return { agent: agent.spec.id };
}

export async function statusOf(running: RunningTeam): Promise<TeamStatus> {
  const { team, books, agents, rehearsalUrl } = running;
  const inboxes = await books.bus.counts();
  const agentStatus = async ({ spec, state, facts, approver, view }: Agent) => {
    const servers = view.state.mcpServers?.filter(({ name }) => name !== TEAM_SERVER) ?? [];
    return {
      id: spec.id,
      description: spec.description,
      state,
      lead: spec.id === team.lead,
      ...facts,
      inbox: inboxes[spec.id] ?? 0,
      pending: approver.pending.length,
      ...(await accountOf(books, spec.id)),
      ...(servers.length > 0 && { mcp_servers: servers }),
    };
  };
  return {
    team: team.name,
    lead: team.lead,
    rehearsal: rehearsalUrl !== undefined,
    pid: process.pid,
    ...(await countsOf(books)),
    agents: await Promise.all([...agents.values()].map(agentStatus)),
  };
}
