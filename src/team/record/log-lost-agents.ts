import type { Timeline } from "../timeline/timeline.ts";
import type { CommunicationRecord } from "./communication-record.ts";

/** From now on writes lost agents, and why they were lost, into the communication log. */
export function recordLosses(timeline: Timeline, communication: CommunicationRecord): void {
  timeline.subscribe((events) => {
    for (const event of events) {
      if (event.type !== "agent_state") continue;
      const { agent, state, reason = "" } = event;
      const isLost = state === "restarting" || state === "quarantined";
      if (isLost) communication.lost(agent, state, reason);
    }
  });
}
