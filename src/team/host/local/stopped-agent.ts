import { readFileSync } from "node:fs";
import { isRecord } from "../../../wire/json.ts";
import type { AgentId } from "../../../wire/team/messages.ts";
import type { RunFacts } from "../agent-host.ts";
import { factsOf, pathsOfAgent } from "./agent-paths.ts";

/** What is known of an agent of a team that is stopped. */
export function describeStopped(
  stateDir: string,
  id: AgentId,
): RunFacts & { readonly description: string } {
  const paths = pathsOfAgent(stateDir, id);
  return { ...factsOf(paths), description: descriptionIn(paths.settings, id) };
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
