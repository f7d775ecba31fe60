import type { AgentId } from "../../wire/team/messages.ts";
import type { Timeline } from "./timeline.ts";

/**
 * The newest event of each agent's log that the timeline has: a crash must not double them.
 *
 * @param metAt the place in the timeline from which on events of this agent are of the log that it has now.
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
