import { useEffect, useState } from "preact/hooks";
import type { TeamParamsInput } from "agent-switchboard/wire";
import type { CommunicationEntry } from "agent-switchboard/team/core";
import { explain } from "../link/errors.ts";
import { useTeam } from "../state/page-state.ts";
import type { TeamState } from "../state/team-state.ts";

const PAGE = 1000;
/** More lines than this a person does not read in a browser; the export has all. */
const MOST = 10_000;

export interface Log {
  readonly entries: readonly CommunicationEntry[];
  readonly isReading: boolean;
  readonly failure: string | undefined;
  readonly older: (() => void) | undefined;
}

/** The lines of the communication log for a filter, the newest first. */
export function useLog(params: TeamParamsInput<"log">): Log {
  const team = useTeam();
  const isLive = team.link.value.kind === "live";
  const question = JSON.stringify(params);
  const [state, setState] = useState<{
    entries: readonly CommunicationEntry[];
    before: string | undefined;
    isReading: boolean;
    failure: string | undefined;
  }>({ entries: [], before: undefined, isReading: true, failure: undefined });
  const read = async (before: string | undefined, isWanted: () => boolean): Promise<void> => {
    setState((now) => ({ ...now, isReading: true, failure: undefined }));
    try {
      const page = await readPage(team, params, before);
      if (!isWanted()) return;
      setState((now) => ({
        entries: before === undefined ? page.entries : [...now.entries, ...page.entries],
        before: page.before,
        isReading: false,
        failure: undefined,
      }));
    } catch (error) {
      if (isWanted()) setState((now) => ({ ...now, isReading: false, failure: explain(error) }));
    }
  };
  useEffect(() => {
    if (!isLive) return undefined;
    let isWanted = true;
    void read(undefined, () => isWanted);
    return () => {
      isWanted = false;
    };
  }, [team, isLive, question]);
  const { entries, before, isReading, failure } = state;
  const hasMore = before !== undefined && entries.length < MOST && !isReading;
  return {
    entries,
    isReading,
    failure,
    older: hasMore ? () => void read(before, () => true) : undefined,
  };
}

/** A page can be empty although there are older lines. */
async function readPage(
  team: TeamState,
  params: TeamParamsInput<"log">,
  from: string | undefined,
): Promise<{ entries: CommunicationEntry[]; before?: string }> {
  for (let before = from; ;) {
    const page = await team.client.request("log", {
      ...params,
      limit: PAGE,
      ...(before !== undefined && { before }),
    });
    if (page.entries.length > 0 || page.before === undefined) return page;
    before = page.before;
  }
}
