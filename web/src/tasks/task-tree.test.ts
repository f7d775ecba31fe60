import type { Task } from "agent-switchboard/wire";
import { expect, test } from "vitest";
import type { TaskBranch } from "./task-tree.ts";
import { newestOf, treeOf, waitsFor } from "./task-tree.ts";

const task = (id: string, more: Partial<Task> = {}): Task => ({
  id,
  root_id: "r",
  parent: null,
  depends_on: [],
  from_agent: "a",
  to_agent: "b",
  title: `title of ${id}`,
  state: "working",
  outcome: null,
  created_at: `2026-11-18T10:00:0${id.at(-1)}.000Z`,
  updated_at: "2026-11-18T10:00:00.000Z",
  ...more,
});

test("parts stand below their whole, oldest first; wholes newest first", () => {
  const tree = treeOf([
    task("p3", { parent: "w1" }),
    task("w4"),
    task("w1"),
    task("p2", { parent: "w1" }),
    task("p5", { parent: "p2" }),
    task("o6", { parent: "unknown" }),
  ]);
  const idsOf = (branches: readonly TaskBranch[]): unknown[] =>
    branches.map(({ task: { id }, parts }) => [id, ...idsOf(parts)]);
  expect(idsOf(tree)).toEqual([["o6"], ["w4"], ["w1", ["p2", ["p5"]], ["p3"]]]);
});

test("a task names what it waits for, as long as it is open and the other is not completed", () => {
  const others = new Map([
    ["x1", task("x1")],
    ["x2", task("x2", { state: "completed" })],
  ]);
  const waiting = task("w3", { depends_on: ["x1", "x2", "0123456789"] });
  expect(waitsFor(waiting, others)).toEqual(["title of x1", "01234567"]);
  expect(waitsFor({ ...waiting, state: "failed" }, others)).toEqual([]);
});

test("of what is known of a task the later change counts", () => {
  const later = task("a1", { state: "completed", updated_at: "2026-11-18T11:00:00.000Z" });
  expect(newestOf([later], [task("a1"), task("a2")])).toEqual([later, task("a2")]);
});
