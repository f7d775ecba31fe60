import { useEffect, useState } from "preact/hooks";
import type { ShownScene } from "../scene/use-scene.ts";
import type { Cord } from "./open-cords.ts";
import { FADE_MS, openCords } from "./open-cords.ts";

/** Draws once more when the last fading cord is gone, and not after that. */
export function useOpenCords(scene: ShownScene, lost: number): Cord[] {
  const [, drawAgain] = useState(0);
  const now = scene.now();
  const cords = openCords(scene.lanes, now, lost);
  const ends = cords
    .filter(({ state }) => state === "ended")
    .map(({ flight }) => flight.endedAt ?? 0);
  const next = scene.isReplay || ends.length === 0 ? undefined : Math.min(...ends) + FADE_MS;
  useEffect(() => {
    if (next === undefined) return undefined;
    const timer = setTimeout(
      () => drawAgain((count) => count + 1),
      Math.max(50, next - Date.now()),
    );
    return () => clearTimeout(timer);
  }, [next]);
  return cords;
}
