import type { TaskState } from "../../wire/team/task.ts";
import { fitText } from "../../text/cut-text.ts";

/** What happens to a task. */
export type TaskStep =
  | "delivered"
  | "progress"
  | "input_needed"
  | "input_given"
  | "completed"
  | "failed"
  | "canceled"
  | "timed_out";

const open = ["submitted", "working", "input_required"] as const;

const steps: Record<TaskStep, { from: readonly TaskState[]; to: TaskState }> = {
  delivered: { from: ["submitted"], to: "working" },
  progress: { from: ["submitted", "working"], to: "working" },
  input_needed: { from: ["submitted", "working"], to: "input_required" },
  input_given: { from: ["input_required"], to: "working" },
  completed: { from: open, to: "completed" },
  failed: { from: open, to: "failed" },
  canceled: { from: open, to: "canceled" },
  timed_out: { from: ["submitted", "working"], to: "timed_out" },
};

export const isEnded = (state: TaskState): boolean =>
  !(open as readonly TaskState[]).includes(state);

/** The state after a step; undefined when the step does not apply, as after the task's end. */
export function nextState(state: TaskState, step: TaskStep): TaskState | undefined {
  const { from, to } = steps[step];
  return from.includes(state) ? to : undefined;
}

const TITLE_CHARS = 100;

/** The first line of a request, as long as a list can show. */
export function titleOf(content: string): string {
  const line = content.trim().split("\n")[0] ?? "";
  return fitText(line, TITLE_CHARS);
}
