import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { runInForeground } from "../../proc/foreground.ts";
import { errorOf } from "../../wire/errors.ts";
import type { TeamStatus } from "../../wire/team-control.ts";
import type { AgentState } from "../../wire/team-events.ts";
import { noAgent } from "./named.ts";
import type { TeamPlace } from "./place.ts";
import { connectTeam, stateDirOption } from "./place.ts";

// The same from src/ and from dist/.
const agentSocket = fileURLToPath(new URL("../../../bin/agent-socket.js", import.meta.url));

/** `switchboard attach AGENT`: looks over an agent's shoulder. Only the lead can be talked to. */
export function attachCommand(): Command {
  return new Command("attach")
    .description("watch one agent's session; the lead's can be talked to, all others only watched")
    .argument("<agent>", "its name")
    .addOption(stateDirOption())
    .action(attach);
}

async function attach(id: string, place: TeamPlace): Promise<void> {
  const socket = await socketOf(id, place);
  process.exitCode = await runInForeground(process.execPath, [agentSocket, "attach", socket]);
}

async function socketOf(id: string, place: TeamPlace): Promise<string> {
  await using team = await connectTeam(place);
  const { agents } = (await team.request("status", {})) as TeamStatus;
  const agent = agents.find((each) => each.id === id);
  if (agent) {
    if (asleep.has(agent.state)) throw notThere(agent);
    return agent.lead ? agent.socket : agent.observe_socket;
  }
  throw noAgent(
    id,
    agents.map((each) => each.id),
  );
}

/** States in which an agent has no session to look at. */
const asleep: ReadonlySet<AgentState> = new Set(["hibernated", "quarantined", "stopped"]);

const notThere = ({ id, state }: { id: string; state: AgentState }) =>
  errorOf("agent_unavailable", `${id} is ${state}: there is nothing to look at.`, {
    data: { agent_id: id, state },
    hint: `Wake it with 'switchboard restart ${id}'; what it did before is in 'switchboard tail --since 0'.`,
  });
