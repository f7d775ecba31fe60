import type { McpServer } from "../../../wire/session/shared-schemas.ts";
import type { EventDraft } from "../../log/event-draft.ts";
import type { SessionState } from "../../../session-state/session-state.ts";
import { endedSubagents } from "./translate-subagents.ts";

/** A CLI is gone, and everything that ran in it: the next CLI knows none of it. */
export function lostWithCli(state: SessionState): EventDraft[] {
  const { mcpServers = [], backgroundTasks } = state;
  const drafts = endedSubagents(state);
  if (backgroundTasks.length > 0) drafts.push({ type: "background_tasks", tasks: [] });
  if (mcpServers.some(({ status }) => status !== "pending")) {
    drafts.push({ type: "mcp_status", servers: mcpServers.map(notYetUp) });
  }
  return drafts;
}

/** Its tools are still named, in case it does not come up again. */
const notYetUp = ({ name, tools }: McpServer): McpServer => ({
  name,
  status: "pending",
  ...(tools && { tools }),
});
