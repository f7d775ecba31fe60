import { expect, test } from "vitest";
import type { TaskState } from "../../wire/team/task.ts";
import { TaskStateSchema } from "../../wire/team/task.ts";
import type { TaskStep } from "./task-states.ts";
import { isEnded, nextState, titleOf } from "./task-states.ts";

const walk = (...steps: TaskStep[]): TaskState | undefined =>
  steps.reduce<TaskState | undefined>(
    (state, step) => (state === undefined ? undefined : nextState(state, step)),
    "submitted",
  );

test("nextState moves a task only along its allowed states", () => {
  expect(walk("delivered", "progress", "completed")).toBe("completed");
  expect(walk("delivered", "input_needed", "input_given", "failed")).toBe("failed");
  expect(walk("timed_out")).toBe("timed_out");
  expect(walk("canceled")).toBe("canceled");
});

test("nextState stops a task's clock while input is required", () => {
  expect(walk("delivered", "input_needed", "timed_out")).toBeUndefined();
});

test("nextState does not change a task that has ended", () => {
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

test("titleOf returns the first line of a task's text, cut to the width of a list", () => {
  expect(titleOf("\n  Build it\nand more")).toBe("Build it");
  expect(titleOf("x".repeat(200))).toHaveLength(100);
});
