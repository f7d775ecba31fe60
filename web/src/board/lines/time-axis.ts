/** A stretch of time in which nothing happens, drawn as a mark of a fixed width. */
export interface Fold {
  readonly from: number;
  readonly to: number;
  readonly x: number;
  readonly width: number;
}

interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly x: number;
  readonly width: number;
  readonly isFolded: boolean;
}

const FOLD_WIDTH = 56;
/** Without an event for so long time is folded: sooner when nobody works. */
const IDLE_MS = 30_000;
const BUSY_MS = 300_000;
const MARK_WIDTH = 110;
/** A time in the type of the lines. */
const LABEL_WIDTH = 72;
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 86_400];

export interface TimeLine {
  /** When something happened. */
  readonly moments: readonly number[];
  /** When agents worked; without an end they still do. */
  readonly works: readonly { readonly from: number; readonly to: number | undefined }[];
  /** The end of the axis. */
  readonly now: number;
}

/** From times to places and back, with idle time folded. Pure. */
export class TimeAxis {
  readonly width: number;
  readonly folds: readonly Fold[];
  readonly #stretches: readonly Stretch[];
  readonly #pxPerMs: number;

  constructor({ moments, works, now }: TimeLine, pxPerSecond: number) {
    this.#pxPerMs = pxPerSecond / 1000;
    const points = [...new Set([...moments, now])].filter((at) => at <= now).toSorted(byNumber);
    const isBusy = busyness(works);
    const stretches: Stretch[] = [];
    let x = 0;
    for (const [index, from] of points.entries()) {
      const to = points[index + 1];
      if (to === undefined) break;
      const isFolded = to - from > (isBusy(from, to) ? BUSY_MS : IDLE_MS);
      const width = isFolded ? FOLD_WIDTH : (to - from) * this.#pxPerMs;
      stretches.push({ from, to, x, width, isFolded });
      x += width;
    }
    this.width = x;
    this.#stretches = stretches;
    this.folds = stretches.filter(({ isFolded }) => isFolded);
  }

  xOf(at: number): number {
    const stretch = this.#find((each) => each.to >= at);
    if (!stretch) return this.width;
    const share = (at - stretch.from) / (stretch.to - stretch.from);
    return stretch.x + Math.min(1, Math.max(0, share)) * stretch.width;
  }

  timeOf(x: number): number | undefined {
    const stretch = this.#find((each) => each.x + each.width >= x);
    if (!stretch || stretch.width === 0) return this.#stretches.at(-1)?.to;
    const share = Math.min(1, Math.max(0, (x - stretch.x) / stretch.width));
    return stretch.from + share * (stretch.to - stretch.from);
  }

  /** Round times between two places, far enough apart for their labels. */
  marks(left: number, right: number): { readonly at: number; readonly x: number }[] {
    const step = 1000 * (steps.find((each) => each * 1000 * this.#pxPerMs >= MARK_WIDTH) ?? 86_400);
    const marks: { at: number; x: number }[] = [];
    let last = -Infinity;
    for (const { from, to, x, width, isFolded } of this.#stretches) {
      if (isFolded) last = x + width - LABEL_WIDTH / 2;
      if (isFolded || x + width < left || x > right) continue;
      for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
        const place = x + (at - from) * this.#pxPerMs;
        if (place < left || place > right || place - last < LABEL_WIDTH) continue;
        if (this.folds.some((fold) => fold.x > place && fold.x - place < LABEL_WIDTH)) continue;
        marks.push({ at, x: place });
        last = place;
      }
    }
    return marks;
  }

  /** The first stretch that fits; they are sorted, so half of them is left out with each look. */
  #find(isAtOrAfter: (stretch: Stretch) => boolean): Stretch | undefined {
    let low = 0;
    let high = this.#stretches.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const stretch = this.#stretches[middle];
      if (stretch && isAtOrAfter(stretch)) high = middle;
      else low = middle + 1;
    }
    return this.#stretches[low];
  }
}

/** Tells whether somebody works at any time between two moments that have no event between them. */
function busyness(works: TimeLine["works"]): (from: number, to: number) => boolean {
  const sorted = works.toSorted((a, b) => a.from - b.from);
  // The latest end of all that has begun so far.
  const ends: number[] = [];
  for (const { to = Infinity } of sorted) ends.push(Math.max(to, ends.at(-1) ?? -Infinity));
  return (from) => {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sorted[middle]?.from ?? Infinity) <= from) low = middle + 1;
      else high = middle;
    }
    return low > 0 && (ends[low - 1] ?? -Infinity) > from;
  };
}

const byNumber = (a: number, b: number): number => a - b;
