import type { AgentId } from "../../wire/team.ts";
import type { Timeline } from "./timeline.ts";

/** Further back than what can be heard a second time. */
const TOLD_EVENTS = 2000;

/**
 * The newest event of each agent's log that the timeline has: a crash must not double them.
 *
 * @param metAt the place in the timeline from which on events of this agent are of the log that it has now.
 */
export async function toldSeqs(
  timeline: Timeline,
  metAt: (agent: AgentId) => number,
): Promise<Map<AgentId, number>> {
  const told = new Map<AgentId, number>();
  await timeline.flushed();
  for await (const events of timeline.after(Math.max(0, timeline.lastSeq - TOLD_EVENTS))) {
    for (const event of events) {
      if (!("session_seq" in event) || event.session_seq === undefined) continue;
      const { agent, seq, session_seq } = event;
      if (seq > metAt(agent)) told.set(agent, Math.max(told.get(agent) ?? 0, session_seq));
    }
  }
  return told;
}
