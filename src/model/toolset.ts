import type { Tool } from "../bridge/tool/define-tool.ts";
import type { TransportType } from "../wire/ipc-files.ts";

/** The name of a toolset that was given none. */
export const TOOLSET = "tools";

/** Functions of this process that a session is to have as tools. */
export interface Toolset {
  readonly name: string;
  readonly tools: readonly Tool[];
  readonly transport: TransportType;
}

/** As the model sees it. */
export const seenName = (toolset: string, tool: string): string => `mcp__${toolset}__${tool}`;

/** The name that a tool of the toolset was given, by the one that the model sees; undefined for other tools. */
export function givenName(toolset: string, seen: string): string | undefined {
  const prefix = seenName(toolset, "");
  return seen.startsWith(prefix) ? seen.slice(prefix.length) : undefined;
}
