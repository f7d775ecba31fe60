import { fileURLToPath } from "node:url";
import { childEnvironment } from "../../../proc/child-environment.ts";
import { baseVariables, claudeVariables } from "../../../proc/inherited-variables.ts";
import type { AgentSpec, Team } from "../../file/team.ts";
import type { RunSettings } from "../agent-host.ts";
import { teamToolNames } from "../../tools/team-tool-names.ts";
import type { AgentPaths } from "./agent-paths.ts";

/** Tools of the CLI with which an agent would bypass the team: to talk, to plan, to start turns of its own. */
const offForAll = [
  "SendMessage",
  "ListAgents",
  "Workflow",
  "CronCreate",
  "CronDelete",
  "CronList",
  "ScheduleWakeup",
];

// The same from src/ and from dist/, because both lie beside each other.
const agentSocket = fileURLToPath(new URL("../../../../bin/agent-socket.js", import.meta.url));

export interface AgentStart {
  readonly team: Team;
  readonly spec: AgentSpec;
  readonly paths: AgentPaths;
  readonly cwd: string;
  readonly trust: boolean;
  /** What people have set, instead of what the team file says. */
  readonly settings?: RunSettings;
  /** The CLI's session to go on with. */
  readonly resume: string | undefined;
  /** It ends when its lease is over. */
  readonly isLeased?: boolean | undefined;
  /** What runs an agent, in place of `agent-socket`. */
  readonly program?: string | undefined;
}

/** The command line of an agent: `agent-socket` with flags that anybody may use. */
export function agentArguments(start: AgentStart): string[] {
  const { team, spec, paths, cwd, trust, resume, program = agentSocket } = start;
  const { mode = spec.permissionMode, model = spec.model } = start.settings ?? {};
  const isLead = spec.id === team.lead;
  const denied = [...offForAll, ...(isLead ? [] : ["AskUserQuestion"]), ...spec.deniedTools];
  const flags: (readonly [flag: string, ...values: string[]])[] = [
    ["--cwd", cwd],
    ["--socket", paths.socket],
    ["--observe-socket", paths.observe],
    ["--state-dir", paths.state],
    ["--mcp-config", paths.mcpConfig],
    ["--settings", paths.extraSettings],
    ["--append-system-prompt-file", paths.persona],
    ["--policy", paths.policy],
    ["--allowed-tools", ...teamToolNames.map((name) => `mcp__team__${name}`), ...spec.allowedTools],
    ["--disallowed-tools", ...denied],
    ["--permission-mode", mode],
    ["--approval-timeout-ms", String(team.timeouts.approvalMs)],
    ["--linger-ms", String(team.timeouts.lingerMs)],
  ];
  // A value alone says that there are none.
  if (spec.onlyTools) flags.push(["--tools", spec.onlyTools.join(",")]);
  if (start.isLeased === true) flags.push(["--lease", paths.lease]);
  if (model !== undefined) flags.push(["--model", model]);
  if (resume !== undefined) flags.push(["--resume", resume]);
  if (trust) flags.push(["--trust"]);
  if (team.continueAtReset) flags.push(["--continue-at-reset"]);
  return [program, ...flags.flat()];
}

/** Its environment: the person's own, as far as Claude Code needs it, and its own configuration. */
export function agentEnvironment(
  { isolation }: Pick<AgentSpec, "isolation">,
  paths: AgentPaths,
  extra: Record<string, string>,
): Record<string, string> {
  const own = {
    config: { CLAUDE_CONFIG_DIR: paths.config },
    home: { HOME: paths.root, CLAUDE_CONFIG_DIR: undefined },
    shared: {},
  }[isolation];
  return childEnvironment({
    allow: [...baseVariables, ...claudeVariables, "SWITCHBOARD_LOG"],
    extra: { ...own, ...extra },
  });
}
