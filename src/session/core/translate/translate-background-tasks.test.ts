import { expect, test } from "vitest";
import { emptyState } from "../../../session-state/session-state.ts";
import { translateTasks } from "./translate-background-tasks.ts";

const task = (description: string) => ({ task_id: "b1", kind: "local_bash", description });

test("background tasks are recorded when they change, and a long command is shortened", () => {
  const state = emptyState();
  const told = (description: string) =>
    translateTasks({ type: "background_tasks", tasks: [task(description)] }, state);
  expect(told("serve")).toEqual([{ type: "background_tasks", tasks: [task("serve")] }]);
  state.backgroundTasks = [task("serve")];
  expect(told("serve")).toEqual([]);
  expect(translateTasks({ type: "background_tasks", tasks: [] }, state)).toHaveLength(1);
  expect(told("x".repeat(300_000))).toEqual([
    { type: "background_tasks", tasks: [task(`${"x".repeat(500)}…`)] },
  ]);
});
