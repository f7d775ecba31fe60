import type { SessionClient } from "../../client/index.ts";
import { errorOf } from "../../wire/errors.ts";
import type { TeamParams } from "../../wire/team/control-methods.ts";
import type { AgentCommand } from "../../wire/team/events.ts";
import type { Agent } from "../agents/agent.ts";
import { chooseSettings } from "../agents/settings-chosen-by-person.ts";
import type { RunSettings } from "../host/agent-host.ts";
import type { RunningTeam } from "../running-team.ts";
import type { Handlers } from "./handler-types.ts";

/** What people do to one agent. Each is published as an event, with who asked for it, before it happens. */
export const agentHandlers: Pick<
  Handlers,
  "restart" | "stop" | "start" | "hibernate" | "abort" | "move" | "set"
> = {
  restart: async (team, { agent: id }, { name }) => {
    const agent = team.agent(id);
    // A running agent is left alone, as it was before there was `stop`.
    if (canStart(agent)) {
      tell(team, id, "restart", name);
      await agent.start();
    }
    return { restarting: id };
  },
  stop: async (team, { agent: id }, { name }) => {
    const agent = team.agent(id);
    if (agent.at === "off" || agent.at === "ending") {
      const hint = `'switchboard start ${id}' starts it.`;
      throw wrongState(agent, `${id} is stopped already.`, hint);
    }
    tell(team, id, "stop", name);
    await agent.halt(name);
    return { agent: id };
  },
  start: async (team, { agent: id }, { name }) => {
    const agent = team.agent(id);
    if (!canStart(agent)) {
      const hint = `'switchboard stop ${id}' stops it first.`;
      throw wrongState(agent, `${id} is running already: it is ${agent.state}.`, hint);
    }
    tell(team, id, "start", name);
    await agent.start();
    return { agent: id };
  },
  hibernate: async (team, { agent: id }, { name }) => {
    const agent = team.agent(id);
    if (agent.at !== "up") throw noProcess(agent, "It has no process that could be ended.");
    if (agent.view.isBusy) throw busy(agent);
    tell(team, id, "hibernate", name);
    // Only the session knows what it does beside its turns.
    if (!(await agent.hibernate())) throw busy(agent);
    return { agent: id };
  },
  abort: async (team, { agent: id }, { name }) => {
    const agent = team.agent(id);
    const session = sessionOf(agent);
    const { turn, continuation } = agent.view.state;
    if (turn === undefined && continuation === undefined) {
      const hint = "There is nothing to end.";
      throw wrongState(agent, `${id} has no running turn: it is ${agent.state}.`, hint);
    }
    tell(team, id, "abort", name);
    await session.abort();
    return { agent: id };
  },
  move: async (team, { agent: id, host, force }, { name }) => {
    const accepted = (): void => tell(team, id, "move", name, { host, ...(force && { force }) });
    return { agent: id, host, ...(await team.agent(id).moveTo(host, force, accepted)) };
  },
  set: async (team, { agent: id, ...wanted }, { name }) => {
    const agent = team.agent(id);
    const session = sessionOf(agent);
    tell(team, id, "set", name, wanted);
    const { mode, model, effort } = wanted;
    if (mode !== undefined) {
      await session.setMode(mode);
      await keep(agent, { mode });
    }
    if (model !== undefined) {
      await session.setModel(model);
      await keep(agent, { model });
    }
    if (effort !== undefined) await session.setThinking(effort);
    return { agent: id, ...wanted };
  },
};

function tell(
  { teamRecords }: RunningTeam,
  agent: string,
  command: AgentCommand,
  by: string,
  wanted: Omit<TeamParams<"set">, "agent"> | { host: string; force?: true } = {},
): void {
  teamRecords.timeline.append({ type: "agent_command", agent, command, by, ...wanted });
}

/** For later starts: the team file's settings would take the place of the session's. */
const keep = ({ record, spec }: Agent, wanted: RunSettings): Promise<void> =>
  record.save({ chosen: chooseSettings(record.note.chosen, spec, wanted) });

const canStart = ({ at }: Agent): boolean =>
  at === "off" || at === "ending" || at === "asleep" || at === "quarantined";

/** @throws `wrong_state` for an agent without a session. */
function sessionOf(agent: Agent): SessionClient {
  if (agent.connection && agent.at === "up") return agent.connection;
  throw noProcess(agent, "It has no session now.");
}

function busy(agent: Agent) {
  const hint = `Wait until its work is done, or end its turn with 'switchboard abort ${agent.id}'.`;
  return wrongState(agent, `${agent.id} is busy and cannot hibernate: it is ${agent.state}.`, hint);
}

function noProcess(agent: Agent, why: string) {
  const hint = canStart(agent)
    ? `'switchboard start ${agent.id}' starts it.`
    : "Try again when it is ready.";
  return wrongState(agent, `${agent.id} is ${agent.state}. ${why}`, hint);
}

const wrongState = (agent: Agent, message: string, hint: string) =>
  errorOf("wrong_state", message, { data: { agent_id: agent.id, state: agent.state }, hint });
