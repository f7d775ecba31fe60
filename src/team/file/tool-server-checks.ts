import { existsSync } from "node:fs";
import type { McpServerSpec } from "./mcp-server-schema.ts";
import type { TeamFile } from "./team-schema.ts";
import { toolFilesOf } from "./tool-files.ts";
import { missingVariables } from "./fill-variables.ts";

type Path = readonly (string | number)[];
type Report = (path: Path, message: string) => void;

/** The server whose tools agents use to talk to each other. */
export const TEAM_SERVER = "team";

/** Finds mistakes in the tools that a file gives its agents: files, servers, their names and variables. */
export function checkToolServers(
  file: TeamFile,
  resolveBeside: (path: string) => string,
  env: Readonly<Record<string, string | undefined>>,
  report: Report,
): void {
  for (const [id, agent] of Object.entries(file.agents)) {
    const path = ["agents", id];
    const files = toolFilesOf(agent, resolveBeside);
    const pathOfFile = (index: number): Path =>
      Array.isArray(agent.tools) ? [...path, "tools", index] : [...path, "tools", "files", index];
    for (const [index, { path: absolute }] of files.entries()) {
      if (existsSync(absolute)) continue;
      const where = `${absolute}: there is no such file. The path begins beside the team file.`;
      report(pathOfFile(index), where);
    }
    reportNames(
      [
        [TEAM_SERVER, undefined],
        ...files.map(({ server }, index): Named => [server, pathOfFile(index)]),
        ...Object.keys(agent.mcp).map((name): Named => [name, [...path, "mcp", name]]),
      ],
      report,
    );
    for (const [name, server] of Object.entries(agent.mcp)) {
      reportVariables(server, [...path, "mcp", name], env, report);
    }
  }
}

type Named = readonly [name: string, path: Path | undefined];

function reportNames(named: readonly Named[], report: Report): void {
  const taken = new Set<string>();
  for (const [name, path] of named) {
    if (taken.has(name) && path) {
      const of = name === TEAM_SERVER ? "the team's own" : "another";
      report(path, `The server's name ${name} is ${of}. Rename the file or the server.`);
    }
    taken.add(name);
  }
}

function reportVariables(
  { command, args = [], url, env: variables = {}, headers = {} }: McpServerSpec,
  path: Path,
  env: Readonly<Record<string, string | undefined>>,
  report: Report,
): void {
  const seenByAll = [
    ["command", command] as const,
    ...args.map((arg, index) => ["args", arg, index] as const),
  ];
  for (const [field, text, index] of seenByAll) {
    if (!text?.includes("${")) continue;
    const message =
      "Variables may stand in env, headers and url. Everybody on this machine can read a program's arguments.";
    report([...path, field, ...(index === undefined ? [] : [index])], message);
  }
  const texts: (readonly [Path, string])[] = [
    ...(url === undefined ? [] : [[["url"], url] as const]),
    ...Object.entries(variables).map(([name, text]) => [["env", name], text] as const),
    ...Object.entries(headers).map(([name, text]) => [["headers", name], text] as const),
  ];
  for (const [at, text] of texts) {
    for (const name of missingVariables(text, env)) {
      const message = `The environment has no variable ${name}. Set it before you start the team, or write \${${name}:-VALUE}.`;
      report([...path, ...at], message);
    }
  }
}
