import { useComputed } from "@preact/signals";
import type { CCMessage } from "agent-switchboard/wire";
import { useMemo } from "preact/hooks";
import { useTalk } from "../talk-context.ts";
import { sameList } from "./same-list.ts";

/** What the person has said to the team, and the lead's session does not have yet: the team keeps it. */
export function useTeamQueue(): readonly CCMessage[] {
  const { state } = useTalk();
  const { team, agent } = state;
  const keep = useMemo(() => sameList<CCMessage>(), []);
  return useComputed(() => {
    void team?.tick.value;
    const { messages = new Map(), openTasks = new Map() } = team?.view ?? {};
    return keep(
      [...messages.values()]
        .filter(({ step }) => step === "sent")
        .map(({ message }) => message)
        .filter(({ from_agent, to_agent }) => from_agent === "user" && to_agent === agent)
        // One whose task was canceled is withdrawn at the end of the turn.
        .filter(({ id }) => openTasks.has(id)),
    );
  }).value;
}
