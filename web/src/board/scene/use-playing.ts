import { useEffect, useState } from "preact/hooks";
import { useTeam } from "../../state/page-state.ts";
import type { ShownScene } from "./use-scene.ts";

const LEAST_MS = 60;
/** Nobody waits longer for the next event, however long the team did. */
const MOST_MS = 1500;

/** How long a replay waits between two events. */
export const pauseBetween = (from: number, to: number, speed: number): number =>
  Math.min(MOST_MS, Math.max(LEAST_MS, (to - from) / speed));

/** Goes on from event to event in the team's own pace, or a multiple of it. */
export function usePlaying(
  scene: ShownScene,
  speed: number,
  goTo: (seq: number | undefined) => void,
) {
  const team = useTeam();
  const [isPlaying, setPlaying] = useState(false);
  const { isReplay, seq, lastSeq, loading } = scene;
  const isAtEnd = !isReplay || seq >= lastSeq;
  useEffect(() => {
    if (!isPlaying) return undefined;
    if (isAtEnd) {
      setPlaying(false);
      return undefined;
    }
    if (loading !== undefined) return undefined;
    const first = team.events[0]?.seq ?? Infinity;
    const next = team.events[seq + 1 - first];
    const now = scene.now();
    const to = next === undefined ? now + MOST_MS / 3 : Date.parse(next.at);
    const timer = setTimeout(() => goTo(seq + 1), pauseBetween(now, to, speed));
    return () => clearTimeout(timer);
  }, [isPlaying, isAtEnd, seq, loading, speed]);
  return [isPlaying, setPlaying] as const;
}
