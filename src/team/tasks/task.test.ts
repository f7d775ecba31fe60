import { expect, test } from "vitest";
import type { TaskState } from "../../wire/team/task.ts";
import { TaskStateSchema } from "../../wire/team/task.ts";
import type { TaskStep } from "./task.ts";
import { isEnded, nextState, titleOf } from "./task.ts";

const walk = (...steps: TaskStep[]): TaskState | undefined =>
  steps.reduce<TaskState | undefined>(
    (state, step) => (state === undefined ? undefined : nextState(state, step)),
    "submitted",
  );

test("the ways through a task", () => {
  expect(walk("delivered", "progress", "completed")).toBe("completed");
  expect(walk("delivered", "input_needed", "input_given", "failed")).toBe("failed");
  expect(walk("timed_out")).toBe("timed_out");
  expect(walk("canceled")).toBe("canceled");
});

test("the clock stands still while somebody has to answer", () => {
  expect(walk("delivered", "input_needed", "timed_out")).toBeUndefined();
});

test("what has ended stays as it is", () => {
  const ends: TaskStep[] = ["completed", "failed", "canceled", "timed_out"];
  for (const end of ends) {
    for (const step of [...ends, "delivered", "progress"] as TaskStep[]) {
      expect(walk(end, step)).toBeUndefined();
    }
  }
  expect(TaskStateSchema.options.filter(isEnded)).toEqual([
    "completed",
    "failed",
    "canceled",
    "timed_out",
  ]);
});

test("a title is the first line, as long as a list can show", () => {
  expect(titleOf("\n  Build it\nand more")).toBe("Build it");
  expect(titleOf("x".repeat(200))).toHaveLength(100);
});
