import type { Tool } from "../bridge/tool/define-tool.ts";
import type { TransportType } from "../wire/ipc-files.ts";

/** Functions of this process that a session is to have as tools. */
export interface Toolset {
  readonly name: string;
  readonly tools: readonly Tool[];
  readonly transport: TransportType;
}

/** As the model sees it. */
export const seenName = (toolset: string, tool: string): string => `mcp__${toolset}__${tool}`;
