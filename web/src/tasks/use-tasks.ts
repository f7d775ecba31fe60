import { useEffect, useState } from "preact/hooks";
import type { Task } from "agent-switchboard/wire";
import { explain } from "../link/errors.ts";
import { useTeam } from "../state/page-state.ts";
import { newestOf } from "./task-tree.ts";

const PAGE = 100;
const MOST = 1000;

export interface Tasks {
  readonly tasks: readonly Task[];
  readonly isReading: boolean;
  readonly failure: string | undefined;
  /** Absent when there are no older ones, or enough is shown. */
  readonly older: (() => void) | undefined;
}

/** All tasks, the newest first: pages of the team, and what events have told since. */
export function useTasks(): Tasks {
  const team = useTeam();
  void team.tick.value;
  const isLive = team.link.value.kind === "live";
  const [read, setRead] = useState<readonly Task[]>([]);
  const [before, setBefore] = useState<string | undefined>(undefined);
  const [isReading, setReading] = useState(true);
  const [failure, setFailure] = useState<string | undefined>(undefined);
  const readPage = async (from: string | undefined): Promise<void> => {
    setReading(true);
    setFailure(undefined);
    try {
      const page = await team.client.request("tasks", {
        all: true,
        limit: PAGE,
        ...(from !== undefined && { before: from }),
      });
      setRead((known) => (from === undefined ? page.tasks : [...known, ...page.tasks]));
      setBefore(page.before);
    } catch (error) {
      setFailure(explain(error));
    }
    setReading(false);
  };
  useEffect(() => {
    if (isLive) void readPage(undefined);
  }, [team, isLive]);
  const tasks = newestOf(read, team.view.endedTasks.values(), team.view.openTasks.values());
  const hasMore = before !== undefined && read.length < MOST;
  return {
    tasks: tasks.toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1)),
    isReading,
    failure,
    older: hasMore && !isReading ? () => void readPage(before) : undefined,
  };
}
