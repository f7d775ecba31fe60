import { useLocation } from "preact-iso";
import { useEffect, useRef, useState } from "preact/hooks";
import type { TeamEvent } from "agent-switchboard/wire";
import type { TeamView } from "agent-switchboard/team/core";
import { explain } from "../../link/errors.ts";
import { useTeam } from "../../state/page-state.ts";
import type { AgentRow, TeamState } from "../../state/team-state.ts";
import { Lanes } from "./lanes.ts";
import { Replay } from "./replay.ts";
import type { Scene } from "./scene.ts";

/** What the board shows: the team now, or as it was after an event. */
export interface ShownScene extends Scene {
  readonly agents: readonly AgentRow[];
  readonly isReplay: boolean;
  /** The number of the event after which the team was so. */
  readonly seq: number;
  readonly lastSeq: number;
  /** How far a replay has read, while it is not there yet. */
  readonly loading: number | undefined;
  readonly failure: string | undefined;
  /** The time that is shown, in milliseconds. */
  readonly now: () => number;
}

export function useScene(): ShownScene {
  const team = useTeam();
  void team.tick.value;
  const lanes = useLiveLanes(team);
  const at = seqOf(useLocation().query["at"]);
  const replayed = useReplay(team, at);
  const lastSeq = Math.max(team.view.lastSeq, team.status.value?.last_seq ?? 0);
  const rows = team.agents.value;
  if (at === undefined) {
    return {
      view: team.view,
      lanes,
      agents: rows,
      isReplay: false,
      seq: team.view.lastSeq,
      lastSeq,
      loading: undefined,
      failure: undefined,
      now: () => Math.max(Date.now(), lanes.lastAt),
    };
  }
  const { scene, loading, failure } = replayed;
  const shown = scene ?? { view: team.view, lanes };
  return {
    ...shown,
    agents: rows.map((row) => rowAt(row, shown.view)),
    isReplay: true,
    seq: at,
    lastSeq,
    loading,
    failure,
    now: () => shown.lanes.lastAt,
  };
}

/** Undefined: the address asks for no replay. */
export function seqOf(text: string | undefined): number | undefined {
  const seq = Number(text);
  return text !== undefined && Number.isInteger(seq) && seq >= 1 ? seq : undefined;
}

function rowAt(row: AgentRow, view: TeamView): AgentRow {
  const then = view.agents.get(row.id);
  return { ...row, view: then, state: then?.state ?? "stopped" };
}

/** The lanes of all events that the page keeps; each is folded once. */
function useLiveLanes(team: TeamState): Lanes {
  const kept = useRef<Lanes | undefined>(undefined);
  if (kept.current === undefined || kept.current.lastSeq > team.view.lastSeq) {
    kept.current = new Lanes();
  }
  const lanes = kept.current;
  let index = team.events.length;
  while (index > 0 && (team.events[index - 1]?.seq ?? 0) > lanes.lastSeq) index -= 1;
  for (; index < team.events.length; index += 1) {
    const event = team.events[index];
    if (event) lanes.apply(event);
  }
  return lanes;
}

interface Replayed {
  readonly scene: Scene | undefined;
  readonly loading: number | undefined;
  readonly failure: string | undefined;
}

function useReplay(team: TeamState, at: number | undefined): Replayed {
  const [state, setState] = useState<Replayed>(nothing);
  const isLive = team.link.value.kind === "live";
  useEffect(() => {
    if (at === undefined) {
      setState(nothing);
      return undefined;
    }
    if (!isLive) return undefined;
    const end = new AbortController();
    const onProgress = (loading: number): void => {
      if (!end.signal.aborted) setState((before) => ({ ...before, loading }));
    };
    const load = async (): Promise<void> => {
      try {
        const scene = await replayOf(team).at(at, { signal: end.signal, onProgress });
        if (!end.signal.aborted) setState({ scene, loading: undefined, failure: undefined });
      } catch (error) {
        if (!end.signal.aborted) setState((before) => ({ ...before, failure: explain(error) }));
      }
    };
    void load();
    return () => end.abort();
  }, [team, at, isLive]);
  return state;
}

const nothing: Replayed = { scene: undefined, loading: undefined, failure: undefined };
const replays = new WeakMap<TeamState, { logId: string; replay: Replay }>();

/** One for each timeline: it keeps what it has read while views come and go. */
function replayOf(team: TeamState): Replay {
  const logId = team.status.value?.log_id ?? "";
  const known = replays.get(team);
  if (known?.logId === logId) return known.replay;
  const replay = new Replay((after, limit) => readEvents(team, after, limit));
  replays.set(team, { logId, replay });
  return replay;
}

/** What the page has it does not ask for. */
async function readEvents(
  team: TeamState,
  after: number,
  limit: number,
): Promise<readonly TeamEvent[]> {
  const first = team.events[0]?.seq ?? Infinity;
  if (first <= after + 1 && team.view.lastSeq > after) {
    return team.events.filter(({ seq }) => seq > after && seq <= after + limit);
  }
  return (await team.client.request("timeline", { after, limit })).events;
}
