import { resolve } from "node:path";
import { check } from "../../wire/check-message.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import { TeamFileSchema } from "./team-schema.ts";
import type { Team } from "./team.ts";
import { toTeam } from "./team.ts";

/**
 * The team of a file that another machine has read: paths are those of this machine, from the directory on.
 *
 * @throws `team_invalid`.
 */
export function teamOfSource(source: unknown, directory: string): Team {
  const file = check(TeamFileSchema, source, "team", "team_invalid");
  if (!file.ok) throw file.error;
  const agents = file.value.agents;
  const here = (path: string): string => resolve(directory, path);
  return toTeam(file.value, {
    resolvePath: here,
    resolveBeside: here,
    promptOf: (id: AgentId) => agents[id]?.prompt ?? "",
    warnings: [],
  });
}
