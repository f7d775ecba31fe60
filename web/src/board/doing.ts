import type { AgentView } from "agent-switchboard/team/core";

const MAX = 90;

/** What an agent does now: its newest call, else its newest words. */
export function doingOf(view: AgentView | undefined): string {
  if (view === undefined) return "";
  const { current, text } = view;
  if (current) return `${shortTool(current.tool)} ${current.summary}`.slice(0, 2 * MAX);
  const isNew = view.turn !== undefined;
  const part = isNew ? text.slice(-4 * MAX) : text.slice(0, 4 * MAX);
  const line = part.replace(/\s+/g, " ").trim();
  const letters = Array.from(line);
  // Of what is still being said the newest words count.
  if (isNew && letters.length > MAX) return `…${letters.slice(-MAX).join("")}`;
  return letters.length > MAX ? `${letters.slice(0, MAX).join("")}…` : line;
}

/** A tool of an MCP server without the server: `mcp__team__send_message` is `send_message`. */
export const shortTool = (tool: string): string => tool.replace(/^mcp__.+?__/, "");
