import type { AgentStatus } from "../../wire/team/agent-status.ts";
import type { Agent } from "../agents/agent.ts";
import { settingsToStartWith } from "../agents/settings-chosen-by-person.ts";
import { summaryOf } from "../agents/call-in-one-line.ts";
import type { TeamRecords } from "../team-records.ts";
import { TEAM_SERVER } from "../file/tool-server-checks.ts";
import { accountOf } from "./read-records.ts";

/** What `status` tells of an agent of a running team. */
export async function statusOfAgent(
  { spec, state, reason, since, facts, approver, view, record }: Agent,
  teamRecords: TeamRecords,
  rest: Pick<AgentStatus, "lead" | "inbox">,
): Promise<AgentStatus> {
  const servers = view.state.mcpServers?.filter(({ name }) => name !== TEAM_SERVER) ?? [];
  return {
    id: spec.id,
    description: spec.description,
    state,
    ...(reason !== undefined && { reason }),
    since,
    ...facts,
    ...rest,
    pending: approver.pending.length,
    ...(await accountOf(teamRecords, spec.id)),
    ...settingsOf(spec, record, view),
    ...workOf(view),
    ...(servers.length > 0 && { mcp_servers: servers }),
  };
}

/** What its session last reported; before that, what its next run will be started with. */
function settingsOf(
  spec: Agent["spec"],
  { note }: Agent["record"],
  { state }: Agent["view"],
): Pick<AgentStatus, "model" | "effort" | "mode" | "context"> {
  const { chosen } = note;
  const next = {
    mode: spec.permissionMode,
    model: spec.model,
    ...settingsToStartWith(chosen, spec),
  };
  const { model = next.model, effort, mode = next.mode, context } = state;
  return {
    ...(model !== undefined && { model }),
    ...(effort !== undefined && { effort }),
    mode,
    ...(context && { context }),
  };
}

function workOf({
  state,
}: Agent["view"]): Pick<AgentStatus, "turn" | "current" | "background" | "continues_at"> {
  const { turn, calls, backgroundTasks, continuation } = state;
  // A call of a sub-agent is the newest, too.
  const [requestId, call] = [...calls].at(-1) ?? [];
  const isOfTurn = turn && requestId !== undefined && call;
  return {
    ...(turn && { turn: { id: turn.turnId, started_at: turn.startedAt } }),
    ...(isOfTurn && {
      current: { request_id: requestId, tool: call.tool, summary: summaryOf(call.input) },
    }),
    ...(continuation?.sent === false && { continues_at: continuation.planned.due }),
    ...(backgroundTasks.length > 0 && { background: [...backgroundTasks] }),
  };
}
