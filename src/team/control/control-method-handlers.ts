import { errorOf } from "../../wire/errors.ts";
import type { TeamApproval, TeamStatus } from "../../wire/team/control-methods.ts";
import type { Agent } from "../agents/agent.ts";
import type { Decision } from "../agents/decide-approvals.ts";
import { withTimeLeft } from "../agents/time-left-for-request.ts";
import { describeTeam } from "../file/describe-team-file.ts";
import type { RunningTeam } from "../running-team.ts";
import { agentHandlers } from "./agent-handlers.ts";
import { statusOfAgent } from "./agent-status.ts";
import type { Caller, Handlers } from "./handler-types.ts";
import { countsOf, noDeadLetter, readers } from "./read-records.ts";
import type { ReadSource } from "./read-source.ts";

const sourceOf = ({ team, teamRecords, logs }: RunningTeam): ReadSource => ({
  teamRecords,
  logs,
  description: async () => describeTeam(team),
});

/** A method that only reads, for a running team. */
const reads =
  <Params, Result>(read: (source: ReadSource, params: Params) => Promise<Result>) =>
  (team: RunningTeam, params: Params): Promise<Result> =>
    read(sourceOf(team), params);

/** What each method of the control socket does. */
export const handlers: Handlers = {
  timeline: reads(readers.timeline),
  agent_history: reads(readers.agent_history),
  agent_blob: reads(readers.agent_blob),
  team: reads(readers.team),
  budgets: reads(readers.budgets),
  tasks: reads(readers.tasks),
  task: reads(readers.task),
  log: reads(readers.log),
  log_stats: reads(readers.log_stats),
  message: reads(readers.message),
  text: reads(readers.text),
  notices: reads(readers.notices),
  dead_letters: reads(readers.dead_letters),
  ping: async () => ({ pong: true, at: new Date().toISOString() }),
  status: (team) => statusOf(team),
  send: async (team, { text = "", content, to, id, priority }) => {
    if (to !== undefined && to !== team.team.lead) throw onlyToLead(team, to);
    return { id: await team.send(content ?? text, { priority, ...(id !== undefined && { id }) }) };
  },
  cancel: async (team, { task }, { name }) => {
    if (await team.cancel(task, name)) return { canceled: true };
    throw errorOf("unknown_request", `There is no open task ${task}.`, {
      hint: "'switchboard tasks' lists the open ones.",
    });
  },
  drop: async (team, { id }, { name }) => {
    const outcome = await team.takeBack(id, name);
    if (outcome !== undefined) return { outcome };
    throw errorOf("unknown_request", `The user has sent no message ${id}.`);
  },
  approvals: async (team) => ({ approvals: approvalsOf(team) }),
  approve: (team, { request_id, ...how }, caller) =>
    decide(team, request_id, { action: "approve", ...how }, caller),
  deny: (team, { request_id, ...how }, caller) =>
    decide(team, request_id, { action: "deny", ...how }, caller),
  answer: (team, { request_id, answers }, caller) =>
    decide(team, request_id, { action: "answer", answers }, caller),
  respond: (team, { request_id, action, content }, caller) => {
    const filled = content === undefined ? {} : { content };
    return decide(team, request_id, { action: "respond", reply: action, ...filled }, caller);
  },
  hold: async (team, { request_id, ms }, { name }) => {
    const agent = agentThatAsks(team, request_id);
    const hasDeadline = await agent.approver.hold(request_id, ms, { by: name });
    return { agent: agent.spec.id, ...(hasDeadline && { remaining_ms: ms }) };
  },
  ack: async ({ teamRecords }, { id }, { name }) => {
    const writes = teamRecords.notices.take(id);
    if (!writes) throw noNotice(id);
    teamRecords.timeline.append({ type: "notice_acknowledged", id, by: name }, writes);
    return { acknowledged: true };
  },
  resend: async (team, { id }) => {
    const message = await team.resend(id);
    if (!message) throw noDeadLetter(id);
    return { id: message.id };
  },
  discard: async ({ teamRecords }, { id }) => {
    if (!(await teamRecords.bus.deadLetters.discard(id))) throw noDeadLetter(id);
    return { discarded: true };
  },
  ...agentHandlers,
};

/** @throws `agent_not_found`, instead of returning an error, for a name that the team does not have. */
function onlyToLead(team: RunningTeam, to: string) {
  const { lead } = team.team;
  return errorOf("not_allowed", `The user talks to the lead, not to ${team.agent(to).id}.`, {
    data: { to, lead },
    hint: `Send it to ${lead}, and ask it to pass it on.`,
  });
}

const noNotice = (id: string) =>
  errorOf("unknown_request", `There is no open notice ${id}.`, {
    hint: "'switchboard notices' lists those that nobody has acknowledged.",
  });

export const approvalsOf = ({ agents }: RunningTeam): TeamApproval[] =>
  [...agents.values()].flatMap(({ spec, approver }) =>
    approver.pending.map((request) => ({
      agent: spec.id,
      request: request.type === "notice" ? request : withTimeLeft(request),
    })),
  );

async function decide(
  team: RunningTeam,
  requestId: string,
  decision: Decision,
  { name }: Caller,
): Promise<{ agent: string }> {
  const agent = agentThatAsks(team, requestId);
  await agent.approver.decide(requestId, decision, { by: name });
  return { agent: agent.spec.id };
}

/** @throws `already_resolved` when it has been decided; `unknown_request`. */
function agentThatAsks({ agents }: RunningTeam, requestId: string): Agent {
  const all = [...agents.values()];
  for (const { approver } of all) approver.refuseLate(requestId);
  const asking = all.find(({ approver }) => approver.hasAsked(requestId));
  if (asking) return asking;
  throw errorOf("unknown_request", `No agent waits for a decision on ${requestId}.`, {
    hint: "'switchboard approvals' lists what is pending.",
  });
}

export async function statusOf(running: RunningTeam): Promise<TeamStatus> {
  const { team, teamRecords, agents, rehearsalUrl } = running;
  const inboxes = await teamRecords.bus.counts();
  return {
    team: team.name,
    lead: team.lead,
    rehearsal: rehearsalUrl !== undefined,
    pid: process.pid,
    ...(await countsOf(teamRecords)),
    agents: await Promise.all(
      [...agents.values()].map((agent) =>
        statusOfAgent(agent, teamRecords, {
          lead: agent.id === team.lead,
          inbox: inboxes[agent.id] ?? 0,
        }),
      ),
    ),
  };
}
