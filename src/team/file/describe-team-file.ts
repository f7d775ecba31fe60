import type { TeamDescription } from "../../wire/team/read-results.ts";
import type { McpServerSpec } from "./mcp-server-schema.ts";
import type { AgentSpec, Team } from "./team.ts";

/** A team file as it was loaded, for people and their programs. Values that may be secrets are left out. */
export function describeTeam(team: Team): TeamDescription {
  const {
    name,
    description,
    lead,
    trust,
    confirmRoles,
    continueAtReset,
    limits,
    timeouts,
    budget,
  } = team;
  return {
    name,
    ...(description !== undefined && { description }),
    lead,
    trust,
    confirm_roles: confirmRoles,
    continue_at_reset: continueAtReset,
    agents: [...team.agents.values()].map(describeAgent),
    policy: [...team.policy],
    limits,
    timeouts: {
      start_ms: timeouts.startMs,
      send_ms: timeouts.sendMs,
      receive_ms: timeouts.receiveMs,
      task_ms: timeouts.taskMs,
      idle_ms: timeouts.idleMs,
      linger_ms: timeouts.lingerMs,
      approval_ms: timeouts.approvalMs,
      stable_ms: timeouts.stableMs,
    },
    budget,
    warnings: [...team.warnings],
  };
}

const describeAgent = (spec: AgentSpec): TeamDescription["agents"][number] => ({
  id: spec.id,
  description: spec.description,
  prompt: spec.prompt,
  ...(spec.model !== undefined && { model: spec.model }),
  mode: spec.permissionMode,
  isolation: spec.isolation,
  tools: {
    files: spec.toolFiles.map(({ path }) => path),
    ...(spec.onlyTools && { only: [...spec.onlyTools] }),
    allow: [...spec.allowedTools],
    deny: [...spec.deniedTools],
  },
  mcp: Object.entries(spec.mcpServers).map(describeServer),
  may_message: [...spec.mayMessage],
  may_interrupt: [...spec.mayInterrupt],
  workdir: spec.workdir,
  worktree: spec.worktree,
  budget: spec.budget,
});

function describeServer([name, server]: [string, McpServerSpec]) {
  const { type, command, args, env, url, headers } = server;
  return {
    name,
    type: type ?? (url === undefined ? ("stdio" as const) : ("http" as const)),
    ...(command !== undefined && { command }),
    ...(args && { args }),
    ...(url !== undefined && { url: withoutSecrets(url) }),
    ...(env && { env: Object.keys(env) }),
    ...(headers && { headers: Object.keys(headers) }),
  };
}

/**
 * The address without user, password, query and fragment, and without what stands for a variable that is not set. It
 * has variables, so it need not be a URL yet.
 */
const withoutSecrets = (url: string): string =>
  url
    .replaceAll(/(\$\{[^}:]*):-[^}]*\}/g, "$1}")
    .replace(/[?#].*$/s, "")
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, "$1");
