import { useEffect, useState } from "preact/hooks";
import type { Task } from "agent-switchboard/wire";
import { useAsk } from "../state/use-ask.ts";
import { useTeam } from "../state/page-state.ts";
import type { TeamState } from "../state/team-state.ts";
import { openStates } from "./task-tree.ts";

const known = new WeakMap<TeamState, Map<string, number>>();
const AT_ONCE = 4;
const MOST = 100;

/**
 * What tasks have cost, with all that they led to, in dollars. Of open ones the budgets tell it; an ended one is asked for
 * once, when it is shown.
 */
export function useTaskCosts(tasks: readonly Task[]): ReadonlyMap<string, number> {
  const team = useTeam();
  const budgets = useAsk("budgets", {}, ["turn_ended"]).answer?.budgets ?? [];
  const [, drawAgain] = useState(0);
  const ended = known.get(team) ?? new Map<string, number>();
  known.set(team, ended);
  const missing = tasks
    .filter(({ id, state }) => !openStates.has(state) && !ended.has(id))
    .slice(0, MOST)
    .map(({ id }) => id);
  const isLive = team.link.value.kind === "live";
  useEffect(() => {
    if (missing.length === 0 || !isLive) return undefined;
    const end = new AbortController();
    const readAll = async (): Promise<void> => {
      for (let index = 0; index < missing.length; index += AT_ONCE) {
        await Promise.all(
          missing.slice(index, index + AT_ONCE).map((id) => readOne(team, id, ended)),
        );
        if (end.signal.aborted) return;
        drawAgain((count) => count + 1);
      }
    };
    void readAll();
    return () => end.abort();
  }, [team, isLive, missing.join(" ")]);
  const costs = new Map(ended);
  for (const { account, id, spent } of budgets) {
    if (account === "task" && id !== undefined) costs.set(id, spent.usd);
  }
  return costs;
}

async function readOne(team: TeamState, id: string, into: Map<string, number>): Promise<void> {
  try {
    into.set(id, (await team.client.request("task", { id })).spent.usd);
  } catch {
    // A cost that is not known is not shown; the task's own page says why it cannot be read.
  }
}
