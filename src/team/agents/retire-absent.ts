import { USER } from "../messages/user.ts";
import type { Office } from "../office.ts";
import { findAgentProcess } from "./agent-process.ts";
import { AgentRecord, namesOfAgents } from "./agent-record.ts";

const CLAIMED = 100;

/**
 * Agents that the team file does not name any more: their processes are ended and their conversations
 * forgotten, so that another one that gets the name begins anew. What waits for them becomes a dead letter:
 * it was not meant for whoever comes by that name later.
 */
export async function retireAbsent({ bus, team }: Office): Promise<void> {
  for (const id of await namesOfAgents(bus.records)) {
    if (team.agents.has(id)) continue;
    const record = new AgentRecord(bus.records, id);
    await record.load();
    findAgentProcess(record.note.process)?.signal("SIGTERM");
    await record.forget();
  }
  for (const id of Object.keys(await bus.counts())) {
    if (team.agents.has(id) || id === USER) continue;
    for (;;) {
      const deliveries = await bus.claim(id, { max: CLAIMED, waitMs: 0 });
      if (deliveries.length === 0) break;
      const why = `${id} is no longer an agent of this team.`;
      await Promise.all(deliveries.map((delivery) => delivery.term(why)));
    }
  }
}
