import type { AgentState } from "agent-switchboard/wire";

/** What people can do with an agent's process. */
export type AgentAct = "start" | "restart" | "hibernate" | "abort" | "stop";

export const agentActs: readonly AgentAct[] = ["start", "restart", "hibernate", "abort", "stop"];

const withoutProcess: ReadonlySet<AgentState> = new Set(["hibernated", "quarantined", "stopped"]);

/** Can the agent's session be reached? Without a process there is none. */
export const hasProcess = (state: AgentState): boolean => !withoutProcess.has(state);

/** Does the team take this now? It decides by itself; a button that it would refuse is not offered. */
export function canDo(act: AgentAct, state: AgentState, hasTurn: boolean): boolean {
  switch (act) {
    case "start":
      return state === "stopped" || state === "hibernated";
    case "restart":
      return state === "quarantined";
    case "hibernate":
      return state === "ready" && !hasTurn;
    case "abort":
      return hasTurn && hasProcess(state);
    default:
      return state !== "stopped";
  }
}
