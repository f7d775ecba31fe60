import { useEffect, useState } from "preact/hooks";
import { timelinePages } from "agent-switchboard/team/core";
import type { TeamEventOf } from "agent-switchboard/wire";
import { explain } from "../link/errors.ts";
import { useTeam } from "../state/page-state.ts";

const PAGE = 1000;
export const MOST_TURNS = 20_000;

export interface Turns {
  readonly turns: readonly TeamEventOf<"turn_ended">[];
  readonly isReading: boolean;
  readonly failure: string | undefined;
}

/** The newest turns that have ended, back to the first one or to a bound; those that end now come along. */
export function useTurns(): Turns {
  const team = useTeam();
  const isLive = team.link.value.kind === "live";
  const [state, setState] = useState<Turns>({ turns: [], isReading: true, failure: undefined });
  useEffect(() => {
    if (!isLive) return undefined;
    const end = new AbortController();
    const found = new Map<number, TeamEventOf<"turn_ended">>();
    const tell = (more: Partial<Turns>): void => {
      if (!end.signal.aborted) setState((now) => ({ ...now, turns: [...found.values()], ...more }));
    };
    const stop = team.listen((items) => {
      const ended = items.filter((item) => item.type === "turn_ended");
      for (const event of ended) found.set(event.seq, event);
      if (ended.length > 0) tell({});
    });
    const read = async (): Promise<void> => {
      try {
        for await (const page of timelinePages(team.client, {
          types: ["turn_ended"],
          limit: PAGE,
        })) {
          if (end.signal.aborted) return;
          for (const event of page) if (event.type === "turn_ended") found.set(event.seq, event);
          tell({});
          if (found.size >= MOST_TURNS) break;
        }
        tell({ isReading: false, failure: undefined });
      } catch (error) {
        tell({ isReading: false, failure: explain(error) });
      }
    };
    void read();
    return () => {
      stop();
      end.abort();
    };
  }, [team, isLive]);
  return state;
}
