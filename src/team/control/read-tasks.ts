import type { TeamParams } from "../../wire/team/control-methods.ts";
import type { TaskPage } from "../../wire/team/read-results.ts";
import type { TaskBook } from "../tasks/task-book.ts";
import { isEnded } from "../tasks/task-states.ts";

/** The open tasks, oldest first; with a filter, or with those that have ended too, a page with the newest first. */
export async function readTasks(
  tasks: TaskBook,
  { all, state, agent, root, before, limit }: TeamParams<"tasks">,
): Promise<TaskPage> {
  const isPlain = [state, agent, root, before].every((each) => each === undefined);
  if (!all && isPlain) return { tasks: tasks.open().slice(0, limit) };
  const { items, cursor } = await tasks.page({
    isOpen: state === undefined ? !all : !isEnded(state),
    fits: (task) =>
      (state === undefined || task.state === state) &&
      (agent === undefined || [task.from_agent, task.to_agent].includes(agent)) &&
      (root === undefined || task.root_id === root),
    limit,
    cursor: before,
  });
  return { tasks: items, ...(cursor !== undefined && { before: cursor }) };
}
