import type { TeamEvent } from "agent-switchboard/wire";
import type { EndedCall } from "./call.ts";
import { outcomeOfEvent } from "./team-decider.ts";

/** The calls of a team that are over, newest first, from its timeline. */
export function endedCallsOf(events: readonly TeamEvent[]): EndedCall[] {
  const asked = new Map<string, Extract<TeamEvent, { type: "approval_requested" }>>();
  const ended: EndedCall[] = [];
  for (const event of events) {
    if (event.type === "approval_requested") asked.set(event.request.request_id, event);
    if (event.type !== "approval_resolved") continue;
    const call = asked.get(event.request_id);
    if (call === undefined) continue;
    const { agent, request, at } = call;
    ended.push({ id: event.request_id, agent, request, askedAt: at, end: outcomeOfEvent(event) });
  }
  return ended.toReversed();
}

/** Since midnight of the person's own day. */
export function isToday({ end, askedAt }: EndedCall, now: Date): boolean {
  return new Date(end.at ?? askedAt).toDateString() === now.toDateString();
}
