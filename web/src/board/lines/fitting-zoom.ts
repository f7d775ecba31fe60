import type { TimeAxis } from "./time-axis.ts";

/** Before the picture has a width. */
const USUAL = 8;
const LEAST = 4;
const MOST = 32;

/**
 * The index of the largest zoom, in pixels a second, at which all that has happened is in sight. A long time is not made so small that
 * nothing can be seen of it, and a short one not so large that it looks long.
 *
 * @param axis with one pixel a second
 */
export function fittingZoom(
  axis: Pick<TimeAxis, "width" | "folds">,
  sight: number,
  zooms: readonly number[],
): number {
  const folded = axis.folds.reduce((sum, { width }) => sum + width, 0);
  const seconds = axis.width - folded;
  const fits = (zoom: number): boolean =>
    sight === 0 ? zoom <= USUAL : folded + seconds * zoom <= sight;
  const found = zooms.findLastIndex((zoom) => zoom <= LEAST || (zoom <= MOST && fits(zoom)));
  return Math.max(0, found);
}
