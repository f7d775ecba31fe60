import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { readJsonObject } from "../../../claude-config/claude-config.ts";
import { replaceFile } from "../../../files/replace-file.ts";
import { isRecord } from "../../../wire/json.ts";
import { personaOf } from "../../agents/compose-persona.ts";
import type { AgentSpec, Team } from "../../file/team.ts";
import { policyOf } from "../../rules/policy-of-agent.ts";
import type { AgentPaths } from "./agent-paths.ts";

/** Writes what the agent's process will read. Its own settings, if it has any by now, are kept. */
export function writeAgentFiles(
  team: Team,
  spec: AgentSpec,
  paths: AgentPaths,
  cwd: string,
  mcpServers: Record<string, object>,
): void {
  const { id, description, prompt } = spec;
  const known = readJsonObject(paths.settings);
  const agents = isRecord(known["agents"]) ? known["agents"] : {};
  writeJson(paths.settings, {
    // By default Claude Code removes what was not touched for 30 days. An agent may sleep for longer.
    cleanupPeriodDays: 36_500,
    ...known,
    agents: { ...agents, [id]: { description, prompt } },
  });
  // Servers may have keys in their environment: no other user may read this file.
  writeJson(paths.mcpConfig, { mcpServers });
  writeJson(paths.extraSettings, {
    // Agents speak through the team's own tools only.
    crossSessionInbound: "refuse",
    useAutoModeDuringPlan: false,
  });
  writeJson(paths.policy, policyOf(team.policy, id, cwd));
  write(paths.persona, personaOf(team, spec, cwd));
}

const writeJson = (file: string, value: unknown): void =>
  write(file, `${JSON.stringify(value, null, 2)}\n`);

/** Replaces the file as a whole, because a process may be reading it. */
function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  replaceFile(file, text, { durable: false, draft: `${file}.${process.pid}.new` });
}
