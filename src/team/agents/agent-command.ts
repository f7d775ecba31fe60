import { fileURLToPath } from "node:url";
import { baseVariables, childEnvironment, claudeVariables } from "../../proc/environment.ts";
import type { AgentSpec, Team } from "../file/team.ts";
import { teamToolNames } from "../tools/team-tool-names.ts";
import type { AgentPlace } from "./agent-place.ts";

/** The tools of the CLI that would go past the team: to speak, to plan, to start turns of their own. */
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
const program = fileURLToPath(new URL("../../../bin/agent-socket.js", import.meta.url));

export interface AgentStart {
  readonly team: Team;
  readonly spec: AgentSpec;
  readonly place: AgentPlace;
  readonly cwd: string;
  readonly trust: boolean;
  /** The CLI's session to go on with. */
  readonly resume: string | undefined;
}

/** The command line of an agent: `agent-socket` with flags that anybody may use. */
export function agentArguments({ team, spec, place, cwd, trust, resume }: AgentStart): string[] {
  const isLead = spec.id === team.lead;
  const denied = [...offForAll, ...(isLead ? [] : ["AskUserQuestion"]), ...spec.deniedTools];
  const flags: (readonly [flag: string, ...values: string[]])[] = [
    ["--cwd", cwd],
    ["--socket", place.socket],
    ["--observe-socket", place.observe],
    ["--state-dir", place.state],
    ["--mcp-config", place.mcpConfig],
    ["--settings", place.extraSettings],
    ["--append-system-prompt-file", place.persona],
    ["--allowed-tools", ...teamToolNames.map((name) => `mcp__team__${name}`), ...spec.allowedTools],
    ["--disallowed-tools", ...denied],
    ["--permission-mode", spec.permissionMode],
    ["--approval-timeout-ms", String(team.timeouts.approvalMs)],
    ["--linger-ms", String(team.timeouts.lingerMs)],
  ];
  if (spec.model !== undefined) flags.push(["--model", spec.model]);
  if (resume !== undefined) flags.push(["--resume", resume]);
  if (trust) flags.push(["--trust"]);
  return [program, ...flags.flat()];
}

/** Its environment: the person's own, as far as Claude Code needs it, and its own configuration. */
export function agentEnvironment(
  { isolation }: Pick<AgentSpec, "isolation">,
  place: AgentPlace,
  extra: Record<string, string>,
): Record<string, string> {
  const own = {
    config: { CLAUDE_CONFIG_DIR: place.config },
    home: { HOME: place.root, CLAUDE_CONFIG_DIR: undefined },
    shared: {},
  }[isolation];
  return childEnvironment({
    allow: [...baseVariables, ...claudeVariables, "SWITCHBOARD_LOG"],
    extra: { ...own, ...extra },
  });
}
