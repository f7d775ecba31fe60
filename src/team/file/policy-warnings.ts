import { judgeCall } from "../../policy/judge-call.ts";
import { didYouMean } from "../../yaml/did-you-mean.ts";
import type { FileIssue } from "../../yaml/file-issue.ts";
import { claudeTools } from "./known-claude-tools.ts";
import { teamToolNames } from "../tools/team-tool-names.ts";
import { TEAM_SERVER } from "./tool-server-checks.ts";
import type { TeamFile } from "./team-schema.ts";
import { toolFilesOf } from "./tool-files.ts";

/** Warns about rules whose `tool` matches no tool that is known when the file is read. A server's tools are not known yet. */
export function policyWarnings(
  file: TeamFile,
  issueAt: (path: readonly PropertyKey[], message: string) => FileIssue,
): FileIssue[] {
  const servers = [
    TEAM_SERVER,
    ...Object.values(file.agents).flatMap((agent) => [
      ...toolFilesOf(agent, (path) => path).map(({ server }) => server),
      ...Object.keys(agent.mcp),
    ]),
  ];
  const teamTools = teamToolNames.map((name) => `mcp__${TEAM_SERVER}__${name}`);
  // A trusted project or the person's own settings may bring servers of their own.
  const hasOtherServers =
    file.trust || Object.values(file.agents).some(({ isolation }) => isolation === "shared");
  return file.policy.flatMap(({ tool }, index) => {
    const known = [...claudeTools, ...teamTools];
    if (known.some((name) => fits(tool, name))) return [];
    const server = /^mcp__((?:(?!__|\*).)+)__/.exec(tool)?.[1];
    if (tool.startsWith("*") || (tool.startsWith("mcp__") && server === undefined)) return [];
    const isServer = server !== undefined && server !== TEAM_SERVER;
    if (isServer && (hasOtherServers || servers.includes(server))) return [];
    const near = isServer ? didYouMean(server, servers) : didYouMean(tool, known);
    const what = isServer
      ? `No agent has a server named ${server}`
      : `No agent has a tool named ${tool}`;
    const hint = near === undefined ? "" : ` Did you mean ${near}?`;
    return [issueAt(["policy", index, "tool"], `${what}, so this rule decides nothing.${hint}`)];
  });
}

const fits = (tool: string, name: string): boolean =>
  judgeCall([{ tool, action: "deny" }], { tool: name, input: {} }) !== undefined;
