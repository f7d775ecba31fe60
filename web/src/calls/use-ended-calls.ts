import type { TeamEvent } from "agent-switchboard/wire";
import { useEffect, useState } from "preact/hooks";
import { usePage } from "../state/page-state.ts";
import type { TeamState } from "../state/team-state.ts";
import type { EndedCall } from "./call.ts";
import { endedCallsOf } from "./ended-calls.ts";
import { endedCalls } from "./session-decider.ts";

const PAGE = 500;
/** A timeline of many years is not read to its end for one call. */
const MAX_PAGES = 6;

export interface EndedCalls {
  /** Newest first. */
  readonly calls: readonly EndedCall[];
  readonly isLoading: boolean;
}

/**
 * The calls that are over. What the page has of the timeline may begin later: then the team is asked for more.
 *
 * @param isEnough of the oldest call, whether older ones are not needed.
 */
export function useEndedCalls(isEnough: (calls: readonly EndedCall[]) => boolean): EndedCalls {
  const { team, session } = usePage();
  void team?.tick.value;
  const [older, setOlder] = useState<readonly TeamEvent[]>([]);
  const [isLoading, setLoading] = useState(team !== undefined);
  const isLive = team?.link.value.kind === "live";
  useEffect(() => {
    if (team === undefined || !isLive) return undefined;
    let isOver = false;
    readOlder(team, (events) => {
      if (!isOver) setOlder(events);
      return isOver || isEnough(endedCallsOf(events));
    })
      // The list then has what the page has.
      .catch(() => undefined)
      .finally(() => setLoading(false));
    return () => void (isOver = true);
  }, [team, isLive]);
  if (session) return { calls: endedCalls(session.conversation.value).toReversed(), isLoading };
  return { calls: endedCallsOf(merged(older, team?.events ?? [])), isLoading };
}

async function readOlder(
  team: TeamState,
  take: (events: readonly TeamEvent[]) => boolean,
): Promise<void> {
  let events: readonly TeamEvent[] = [];
  let before: number | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer = await team.client.request("timeline", {
      types: ["approval_requested", "approval_resolved"],
      limit: PAGE,
      ...(before !== undefined && { before }),
    });
    events = [...answer.events, ...events];
    if (take(events) || !answer.more || answer.before === undefined) return;
    ({ before } = answer);
  }
}

function merged(older: readonly TeamEvent[], newer: readonly TeamEvent[]): TeamEvent[] {
  const last = older.at(-1)?.seq ?? 0;
  return [...older, ...newer.filter(({ seq }) => seq > last)];
}
