import type { Records, Write } from "../../bus/records.ts";
import type { AgentId } from "../../wire/team/messages.ts";

const RESTARTS = "restarts";

/** The agent was lost and is started again, once more. */
export const countRestart = (agent: AgentId): Write => ({
  kind: "add",
  collection: RESTARTS,
  key: agent,
  amounts: { count: 1 },
});

/** How often the agent was lost and started again, since it came to the team. */
export async function restartsOf(records: Pick<Records, "get">, agent: AgentId): Promise<number> {
  return Number((await records.get(RESTARTS, agent))?.value["count"] ?? 0);
}
