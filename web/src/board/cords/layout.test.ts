import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { BoardLayout, BoardTeam } from "./layout.ts";
import { layOut } from "./layout.ts";

const five: BoardTeam = {
  person: "user",
  lead: "boss",
  agents: ["boss", "manager", "coding", "research", "testing"],
  edges: [
    { from: "boss", to: "manager" },
    { from: "manager", to: "boss" },
    { from: "manager", to: "coding" },
    { from: "manager", to: "research" },
    { from: "manager", to: "testing" },
    { from: "coding", to: "manager" },
  ],
};

const byId = ({ nodes }: BoardLayout) => Object.fromEntries(nodes.map((node) => [node.id, node]));

test("the person stands left at the top, the lead beside, and then whoever is reached", () => {
  const { user, boss, manager, coding, research } = byId(layOut(five, 836));
  expect(user!.x).toBeLessThan(boss!.x);
  expect(user!.y).toBe(boss!.y);
  expect(boss!.x).toBeLessThan(manager!.x);
  expect(coding!.x).toBe(research!.x);
  expect([manager!.layer, coding!.layer]).toEqual([2, 3]);
});

test("on a phone labels stand beside jacks, in two columns", () => {
  const layout = layOut(five, 390);
  expect(layout.labels).toBe("beside");
  expect(new Set(layout.nodes.map(({ x }) => x)).size).toBe(2);
  expect(layout.height).toBeLessThanOrEqual(4 * 84);
});

test("an agent that nobody reaches stands on the board too", () => {
  const layout = layOut({ ...five, agents: [...five.agents, "alone"] }, 1000);
  expect(layout.nodes.map(({ id }) => id)).toContain("alone");
  expect(layout.links.some(({ to }) => to === "alone")).toBe(false);
});

/** The room of a jack with its lamp and its label. */
const boxOf = ({ labels, cell }: BoardLayout, { x, y }: { x: number; y: number }) =>
  labels === "below"
    ? { left: x - cell.width / 2, top: y - 54, right: x + cell.width / 2, bottom: y + 78 }
    : { left: x - 32, top: y - 48, right: x - 32 + cell.width, bottom: y + 36 };

test("with 2 to 12 agents at any width no jack or label lies on another or leaves the board", () => {
  const teams = fc.integer({ min: 2, max: 12 }).chain((count) => {
    const agents = Array.from({ length: count }, (_, index) => `agent${index}`);
    const name = fc.constantFrom(...agents);
    return fc.record({
      person: fc.constant("user"),
      lead: fc.option(name, { nil: undefined }),
      agents: fc.constant(agents),
      edges: fc.array(fc.record({ from: name, to: name }), { maxLength: 60 }),
    });
  });
  fc.assert(
    fc.property(teams, fc.integer({ min: 300, max: 1800 }), (team, width) => {
      const layout = layOut(team, width);
      expect(layout.nodes.map(({ id }) => id).toSorted()).toEqual(
        ["user", ...team.agents].toSorted(),
      );
      const boxes = layout.nodes.map((node) => boxOf(layout, node));
      for (const [index, box] of boxes.entries()) {
        expect(box.left).toBeGreaterThanOrEqual(-0.01);
        expect(box.right).toBeLessThanOrEqual(width + 0.01);
        expect(box.top).toBeGreaterThanOrEqual(-0.01);
        expect(box.bottom).toBeLessThanOrEqual(layout.height + 0.01);
        for (const other of boxes.slice(index + 1)) {
          const isApart =
            box.right <= other.left + 0.01 ||
            other.right <= box.left + 0.01 ||
            box.bottom <= other.top + 0.01 ||
            other.bottom <= box.top + 0.01;
          expect(isApart).toBe(true);
        }
      }
    }),
  );
});
