import { errorOf } from "../../wire/errors.ts";
import type { TaskBook } from "../tasks/task-book.ts";
import type { Refusal } from "./refusal.ts";

/**
 * Checks that a task can wait for these tasks. They must exist, and none may be a task that the new one is a part of,
 * because such a task ends only after its parts.
 */
export async function checkDependsOn(
  tasks: Pick<TaskBook, "find" | "lineage">,
  dependsOn: readonly string[],
  partOf: string | undefined,
): Promise<Refusal> {
  if (dependsOn.length === 0) return undefined;
  const above = new Set((await tasks.lineage(partOf ?? null)).map(({ id }) => id));
  for (const id of dependsOn) {
    if (above.has(id)) return refused(id, `is what this one is a part of, and ends after it`);
    if (!(await tasks.find(id))) return refused(id, "is not known");
  }
  return undefined;
}

const refused = (id: string, why: string): Refusal =>
  errorOf("invalid_params", `depends_on: the task ${id} ${why}.`, {
    data: { depends_on: id },
    hint: "Use a task_id that send_message returned or that list_tasks shows.",
  });
