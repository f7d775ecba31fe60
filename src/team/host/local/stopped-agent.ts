import { readFileSync } from "node:fs";
import { isRecord } from "../../../wire/json.ts";
import type { AgentId } from "../../../wire/team/messages.ts";
import type { RunFacts, RunMark } from "../agent-host.ts";
import { factsOf, pathsOfAgent } from "./agent-paths.ts";
import { findAgentProcess } from "./agent-process.ts";

/** What is known of an agent of a team without a process. It has a `pid` when it has outlived that process. */
export function describeStopped(
  stateDir: string,
  id: AgentId,
  mark: RunMark,
): RunFacts & { readonly description: string } {
  const paths = pathsOfAgent(stateDir, id);
  const pid = findAgentProcess(mark.process, paths)?.pid;
  return {
    ...(pid !== undefined && { pid }),
    ...factsOf(paths),
    description: descriptionIn(paths.settings, id),
  };
}

/** The team file may have changed since; the agent's own settings have what it was started with. */
function descriptionIn(settings: string, id: AgentId): string {
  try {
    const value: unknown = JSON.parse(readFileSync(settings, "utf8"));
    const agents = isRecord(value) && isRecord(value["agents"]) ? value["agents"] : {};
    const agent = agents[id];
    const description = isRecord(agent) ? agent["description"] : undefined;
    return typeof description === "string" ? description : "";
  } catch {
    return "";
  }
}
