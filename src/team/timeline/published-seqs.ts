import type { AgentId } from "../../wire/team/messages.ts";
import type { Timeline } from "./timeline.ts";

/**
 * The newest event of each agent's log that the timeline has: a crash must not double them.
 *
 * @param metAt the event of the timeline after which events of this agent belong to the log that it has now.
 */
export async function publishedSeqs(
  timeline: Timeline,
  metAt: (agent: AgentId) => number,
): Promise<Map<AgentId, number>> {
  const published = new Map<AgentId, number>();
  for (const [agent, { seq, session_seq }] of await timeline.newestHeard()) {
    if (seq > metAt(agent)) published.set(agent, session_seq);
  }
  return published;
}
