import type { PermissionMode } from "../../wire/session/shared-schemas.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import type { McpServerSpec } from "./mcp-server-schema.ts";
import type { Budget, Limits, TeamFile, TeamPolicyRule } from "./team-schema.ts";
import type { ToolFile } from "./tool-files.ts";
import { toolFilesOf, toolsOf } from "./tool-files.ts";

export type Isolation = "config" | "home" | "shared";

/** One agent as the team file describes it, with everything filled in. */
export interface AgentSpec {
  readonly id: AgentId;
  readonly description: string;
  readonly prompt: string;
  readonly model: string | undefined;
  /** The only tools of Claude Code that it has; absent: all. */
  readonly onlyTools: readonly string[] | undefined;
  readonly allowedTools: readonly string[];
  readonly deniedTools: readonly string[];
  /** Files of functions that are its tools. */
  readonly toolFiles: readonly ToolFile[];
  /** By name, as in the file: without the values of variables. */
  readonly mcpServers: Readonly<Record<string, McpServerSpec>>;
  readonly permissionMode: PermissionMode;
  readonly isolation: Isolation;
  /** Whom it may send messages to. Never itself. */
  readonly mayMessage: readonly AgentId[];
  readonly mayInterrupt: readonly AgentId[];
  /** Absolute. */
  readonly workdir: string;
  /** The agent works in a git worktree of its own, made from `workdir`. */
  readonly worktree: boolean;
  readonly budget: Budget;
  /** The machine that is to run it; absent: that of the team. */
  readonly placement?: Placement;
}

/** Where an agent is to run: on a machine of that name, or on one with those labels. */
export type Placement =
  | { readonly host: string }
  | { readonly labels: Readonly<Record<string, string>> };

export interface Timeouts {
  readonly startMs: number;
  readonly sendMs: number;
  readonly receiveMs: number;
  readonly taskMs: number;
  readonly idleMs: number;
  readonly lingerMs: number;
  readonly approvalMs: number;
  readonly stableMs: number;
}

/** A team file, read and checked. */
export interface Team {
  readonly name: string;
  readonly description: string | undefined;
  readonly lead: AgentId;
  readonly trust: boolean;
  readonly confirmRoles: boolean;
  readonly continueAtReset: boolean;
  readonly limits: Limits;
  readonly timeouts: Timeouts;
  readonly budget: { readonly team: Budget; readonly task: Budget };
  readonly policy: readonly TeamPolicyRule[];
  readonly agents: ReadonlyMap<AgentId, AgentSpec>;
  /** What is probably a mistake in the file, as `file:line:column: message`. */
  readonly warnings: readonly string[];
  /** The file itself, with the text of every prompt: another machine makes the same team of it. */
  readonly source: TeamFile;
}

/** How the parts of a file that name other files are found. */
export interface TeamEnvironment {
  readonly resolvePath: (path: string) => string;
  /** The same for paths that begin beside the team file. */
  readonly resolveBeside: (path: string) => string;
  /** The text of an agent's prompt, from the team file or from a file of its own. */
  readonly promptOf: (id: AgentId) => string;
  readonly warnings: readonly string[];
}

function withPrompts(file: TeamFile, promptOf: TeamEnvironment["promptOf"]): TeamFile {
  const agents = Object.entries(file.agents).map(([id, agent]) => {
    const { prompt_file: _, ...rest } = agent;
    return [id, { ...rest, prompt: promptOf(id) }];
  });
  return { ...file, agents: Object.fromEntries(agents) as TeamFile["agents"] };
}

/** Fills in what depends on the rest of the file: whom an agent may message, where it works. */
export function toTeam(
  file: TeamFile,
  { resolvePath, resolveBeside, promptOf, warnings }: TeamEnvironment,
): Team {
  const ids = Object.keys(file.agents);
  const agents = Object.entries(file.agents).map(([id, agent]): [AgentId, AgentSpec] => [
    id,
    {
      id,
      description: agent.description,
      prompt: promptOf(id),
      model: agent.model,
      onlyTools: toolsOf(agent).only,
      allowedTools: toolsOf(agent).allow,
      deniedTools: toolsOf(agent).deny,
      toolFiles: toolFilesOf(agent, resolveBeside),
      mcpServers: agent.mcp,
      permissionMode: agent.permission_mode,
      isolation: agent.isolation,
      mayMessage: (agent.may_message ?? ids).filter((peer) => peer !== id),
      mayInterrupt: agent.may_interrupt.filter((peer) => peer !== id),
      workdir: resolvePath(agent.workdir ?? "."),
      worktree: agent.worktree,
      budget: agent.budget ?? {},
      ...placementOf(agent),
    },
  ]);
  const { task = {}, ...team } = file.budget;
  return {
    name: file.name,
    description: file.description,
    lead: file.lead,
    trust: file.trust,
    confirmRoles: file.confirm_roles,
    continueAtReset: file.continue_at_reset,
    limits: file.limits,
    timeouts: timeoutsOf(file.timeouts),
    budget: { team, task },
    policy: file.policy,
    agents: new Map(agents),
    warnings,
    source: withPrompts(file, promptOf),
  };
}

function placementOf({ host, labels }: TeamFile["agents"][string]): Pick<AgentSpec, "placement"> {
  if (host !== undefined) return { placement: { host } };
  return labels ? { placement: { labels } } : {};
}

const timeoutsOf = (given: TeamFile["timeouts"]): Timeouts => ({
  startMs: inMs(given.start),
  sendMs: inMs(given.send),
  receiveMs: inMs(given.receive),
  taskMs: inMs(given.task),
  idleMs: inMs(given.idle),
  lingerMs: inMs(given.linger),
  approvalMs: inMs(given.approval),
  stableMs: inMs(given.stable),
});

const inMs = (seconds: number): number => Math.round(seconds * 1000);
