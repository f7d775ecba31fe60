import { hostNameFrom } from "../../bridge/tool/tool-and-host-names.ts";
import type { TeamFile } from "./team-schema.ts";

type AgentFile = TeamFile["agents"][string];

/** A file of functions, and the name of the server that offers them: its tools are `mcp__NAME__TOOL`. */
export interface ToolFile {
  readonly server: string;
  /** Absolute. */
  readonly path: string;
}

/** What an agent's `tools` says; a list is one of files. */
export const toolsOf = ({ tools }: Pick<AgentFile, "tools">) =>
  Array.isArray(tools) ? { files: tools, only: undefined, allow: [], deny: [] } : tools;

export const toolFilesOf = (
  agent: Pick<AgentFile, "tools">,
  resolveBeside: (path: string) => string,
): ToolFile[] =>
  toolsOf(agent).files.map((file) => ({ server: hostNameFrom(file), path: resolveBeside(file) }));
