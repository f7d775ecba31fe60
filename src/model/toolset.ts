import type { Tool } from "../bridge/index.ts";
import type { TransportType } from "../wire/ipc-files.ts";

/** The default name of a toolset. */
export const TOOLSET = "tools";

/** Functions of this process that a session is to have as tools. */
export interface Toolset {
  readonly name: string;
  readonly tools: readonly Tool[];
  readonly transport: TransportType;
}

/** As the model sees it. */
export const seenName = (toolset: string, tool: string): string => `mcp__${toolset}__${tool}`;

/** A tool's own name, by the one that the model sees; undefined for other tools. */
export function givenName(toolset: string, seen: string): string | undefined {
  const prefix = seenName(toolset, "");
  return seen.startsWith(prefix) ? seen.slice(prefix.length) : undefined;
}
