import type { TeamReader } from "../../team/core.ts";
import type { PendingRequest } from "../../wire/session/approval-events.ts";
import type { TeamEventOf } from "../../wire/team/events.ts";
import { oneLine } from "./one-line.ts";
import { dayTime, table } from "./print-for-people.ts";
import { requestLine } from "./request-line.ts";
import { outcomeLine } from "./timeline-line.ts";

/** A request that has its outcome. */
export interface PastDecision extends TeamEventOf<"approval_resolved"> {
  /** What was asked; absent when the timeline does not have it. */
  request?: PendingRequest;
}

/** How many decisions are listed. */
const NEWEST = 50;

/** The newest decisions of a team, running or stopped, the oldest of them first. */
export async function newestDecisions(
  team: TeamReader,
  wanted: number = NEWEST,
): Promise<PastDecision[]> {
  const found: PastDecision[] = [];
  const missing = new Map<string, PastDecision>();
  let before: number | undefined;
  for (let more = true; more && (found.length < wanted || missing.size > 0);) {
    const page = await team.request("timeline", {
      types: ["approval_requested", "approval_resolved"],
      ...(before !== undefined && { before }),
    });
    for (const event of page.events.toReversed()) {
      if (event.type === "approval_resolved" && found.length < wanted) {
        const decision = { ...event };
        found.push(decision);
        missing.set(keyOf(event.agent, event.request_id), decision);
      }
      if (event.type !== "approval_requested") continue;
      const key = keyOf(event.agent, event.request.request_id ?? "");
      const decision = missing.get(key);
      if (decision) decision.request = event.request;
      missing.delete(key);
    }
    ({ more, before } = page);
  }
  return found.toReversed();
}

/** The decisions as a table. A call that was changed stands there as what ran. */
export const decisionTable = (decisions: readonly PastDecision[], chars: number): string =>
  table([
    ["ID", "AGENT", "WHEN", "DECISION", "WHAT"],
    ...decisions.map((decision) => [
      decision.request_id,
      decision.agent,
      dayTime(decision.at),
      outcomeLine(decision),
      whatRan(decision, chars),
    ]),
  ]);

function whatRan({ changed, request }: PastDecision, chars: number): string {
  if (!changed) return request ? requestLine(request, chars) : "";
  const { tool, asked, ran } = changed;
  return oneLine(`${tool} ${ran} (changed; asked: ${asked})`, chars);
}

const keyOf = (agent: string, requestId: string): string => `${agent} ${requestId}`;
