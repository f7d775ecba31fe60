import { expect, test } from "vitest";
import { cordPath } from "./cord-path.ts";
import type { BoardLayout } from "./layout.ts";
import { layOut } from "./layout.ts";

const team = {
  person: "user",
  lead: "boss",
  agents: ["boss", "manager", "coding", "research", "testing"],
  edges: ["coding", "research", "testing"]
    .map((to) => ({ from: "manager", to }))
    .concat({ from: "boss", to: "manager" }),
};

/** A label of usual length: the name, its state and two lines of what is done. */
const labelOf = ({ labels }: BoardLayout, { x, y }: { x: number; y: number }) =>
  labels === "below"
    ? { left: x - 60, right: x + 60, top: y + 24, bottom: y + 76 }
    : { left: x + 32, right: x + 132, top: y - 20, bottom: y + 20 };

/** Points along a cord, as a browser draws it. */
function pointsOf(d: string): { x: number; y: number }[] {
  const [x0, y0, x1, y1, x2, y2, x3, y3] = (d.match(/-?\d+/g) ?? []).map(Number);
  return Array.from({ length: 101 }, (_, index) => {
    const t = index / 100;
    const s = 1 - t;
    const at = (a = 0, b = 0, c = 0, e = 0): number =>
      s * s * s * a + 3 * s * s * t * b + 3 * s * t * t * c + t * t * t * e;
    return { x: at(x0, x1, x2, x3), y: at(y0, y1, y2, y3) };
  });
}

test.each([
  { width: 836, name: "labels below jacks" },
  { width: 358, name: "labels beside jacks" },
])("with $name no cord of a usual team crosses a label, in either direction", ({ width }) => {
  const layout = layOut(team, width);
  const place = Object.fromEntries(layout.nodes.map((node) => [node.id, node]));
  // Within a row of a narrow board the cord has only the room of the first label.
  const links = layout.links.filter(({ from }) => width > 500 || from !== "user");
  expect(links.length).toBeGreaterThan(3);
  for (const { from, to } of [
    ...links,
    ...links.map((link) => ({ from: link.to, to: link.from })),
  ]) {
    const points = pointsOf(cordPath(place[from]!, place[to]!, layout.labels, 0).d);
    for (const node of layout.nodes) {
      const label = labelOf(layout, node);
      const crossed = points.filter(
        ({ x, y }) => x > label.left && x < label.right && y > label.top && y < label.bottom,
      );
      expect({ from, to, label: node.id, crossed: crossed.length }).toEqual({
        from,
        to,
        label: node.id,
        crossed: 0,
      });
    }
  }
});

test("cords between the same two jacks do not lie on each other", () => {
  const layout = layOut(team, 836);
  const place = Object.fromEntries(layout.nodes.map((node) => [node.id, node]));
  const paths = [0, 1, 2].map(
    (index) => cordPath(place["manager"]!, place["coding"]!, layout.labels, index).d,
  );
  expect(new Set(paths).size).toBe(3);
});
