import type { BoardLayout, BoardNode } from "./layout.ts";

type Point = Pick<BoardNode, "x" | "y">;

export interface CordPath {
  readonly d: string;
  /** Where the sender's initial is, near the recipient's jack. */
  readonly plug: Point;
  readonly middle: Point;
}

const RADIUS = 21;

/** A hanging cord. Cords between the same two jacks hang below each other. */
export function cordPath(
  from: Point,
  to: Point,
  labels: BoardLayout["labels"],
  place: number,
): CordPath {
  const [a, b, c, d] = pointsOf(from, to, labels, place);
  const shape = `M${round(a)} C${round(b)} ${round(c)} ${round(d)}`;
  const at = (t: number): Point => bezier(a, b, c, d, t);
  return { d: shape, plug: at(plugPlace(at, to)), middle: at(0.5) };
}

function pointsOf(from: Point, to: Point, labels: BoardLayout["labels"], place: number) {
  const dx = to.x - from.x;
  const isSteep = Math.abs(dx) < 60;
  if (isSteep) {
    const bulge = labels === "beside" ? 18 + 6 * Math.min(place, 2) : 64 + 14 * place;
    const side = labels === "beside" && place % 2 === 1 ? -1 : 1;
    const out = { x: bulge * side * 1.33, y: 0 };
    return [from, add(from, out), add(to, out), to] as const;
  }
  const dy = to.y - from.y;
  // Beside a jack is its label, so a cord from another row comes in from above or below.
  if (labels === "beside" && dy !== 0) {
    const side = 26 + 8 * place;
    const out = { x: from.x - side, y: from.y + dy * 0.5 };
    return [from, out, { x: to.x + side, y: to.y - dy * 0.5 }, to] as const;
  }
  const sag = labels === "beside" ? 10 + 10 * place : 22 + 16 * place;
  return [
    from,
    { x: from.x + dx * 0.4, y: from.y + sag },
    { x: to.x - dx * 0.4, y: to.y + sag },
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
