import type { BoardLayout, BoardNode } from "./layout.ts";

type Point = Pick<BoardNode, "x" | "y">;

export interface CordPath {
  readonly d: string;
  /** Where the sender's initial is, near the recipient's jack. */
  readonly plug: Point;
  readonly middle: Point;
}

const RADIUS = 21;
/** Closer than this two jacks stand in one column, or in one row. */
const NEAR = 60;
/** More than the distance of two rows whose labels stand beside. */
const ROW = 100;

/** A cord that keeps clear of the labels of its jacks. Cords between the same two jacks lie beside each other. */
export function cordPath(
  from: Point,
  to: Point,
  labels: BoardLayout["labels"],
  place: number,
): CordPath {
  const [a, b, c, d] =
    labels === "below" ? overLabels(from, to, place) : pastLabels(from, to, place);
  const shape = `M${round(a)} C${round(b)} ${round(c)} ${round(d)}`;
  const at = (t: number): Point => bezier(a, b, c, d, t);
  return { d: shape, plug: at(plugPlace(at, to)), middle: at(0.5) };
}

/** Labels stand below their jacks: a cord leaves and comes in from the side. */
function overLabels(from: Point, to: Point, place: number) {
  const dx = to.x - from.x;
  if (Math.abs(dx) < NEAR) {
    const out = { x: 1.33 * (64 + 14 * place), y: 0 };
    return [from, add(from, out), add(to, out), to] as const;
  }
  // Within a row it hangs. To another row it falls between the columns.
  const isLevel = Math.abs(to.y - from.y) < NEAR;
  const reach = dx * (isLevel ? 0.4 : 0.75);
  const sag = isLevel ? 22 + 16 * place : 14 * place;
  return [
    from,
    { x: from.x + reach, y: from.y + sag },
    { x: to.x - reach, y: to.y + sag },
    to,
  ] as const;
}

/** Labels stand at the right of their jacks: a cord leaves and comes in from above or below. */
function pastLabels(from: Point, to: Point, place: number) {
  const dy = to.y - from.y;
  const side = place % 2 === 1 ? -1 : 1;
  if (Math.abs(dy) < NEAR) {
    const sag = 10 + 10 * place;
    const reach = (to.x - from.x) * 0.4;
    return [
      from,
      { x: from.x + reach, y: from.y + sag },
      { x: to.x - reach, y: to.y + sag },
      to,
    ] as const;
  }
  if (Math.abs(to.x - from.x) < NEAR) {
    // Past the jacks between them at the left, where no label stands.
    const isFar = Math.abs(dy) > ROW;
    const bulge = isFar ? -(30 + 4 * Math.min(place, 2)) : side * (12 + 6 * Math.min(place, 2));
    const out = { x: bulge * 1.33, y: 0 };
    return [from, add(from, out), add(to, out), to] as const;
  }
  const shift = side * 10 * Math.ceil(place / 2);
  return [
    from,
    { x: from.x + shift, y: from.y + dy * 0.6 },
    { x: to.x + shift, y: to.y - dy * 0.6 },
    to,
  ] as const;
}

/** The last place on the cord that is clear of the jack. */
function plugPlace(at: (t: number) => Point, to: Point): number {
  for (let t = 0.97; t > 0.5; t -= 0.03) {
    const { x, y } = at(t);
    if (Math.hypot(x - to.x, y - to.y) > RADIUS + 11) return t;
  }
  return 0.5;
}

function bezier(a: Point, b: Point, c: Point, d: Point, t: number): Point {
  const s = 1 - t;
  const [p, q, r, u] = [s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t];
  return {
    x: p * a.x + q * b.x + r * c.x + u * d.x,
    y: p * a.y + q * b.y + r * c.y + u * d.y,
  };
}

const add = (a: Point, b: Point): Point => ({ x: a.x + b.x, y: a.y + b.y });
const round = ({ x, y }: Point): string => `${Math.round(x)} ${Math.round(y)}`;
