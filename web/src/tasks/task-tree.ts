import type { Task } from "agent-switchboard/wire";

export interface TaskBranch {
  readonly task: Task;
  readonly parts: readonly TaskBranch[];
}

export const openStates: ReadonlySet<Task["state"]> = new Set([
  "submitted",
  "working",
  "input_required",
]);

/** Newest first at the top, parts in the order they were asked for. A part whose whole is not there stands at the top. */
export function treeOf(tasks: readonly Task[]): TaskBranch[] {
  const known = new Set(tasks.map(({ id }) => id));
  const partsOf = new Map<string, Task[]>();
  const tops: Task[] = [];
  for (const task of tasks.toSorted(byAge)) {
    if (task.parent === null || !known.has(task.parent)) tops.push(task);
    else partsOf.set(task.parent, [...(partsOf.get(task.parent) ?? []), task]);
  }
  const branch = (task: Task): TaskBranch => ({
    task,
    parts: (partsOf.get(task.id) ?? []).map(branch),
  });
  return tops.toReversed().map(branch);
}

/** What a task still waits for: those it depends on that are not completed, by their titles where they are known. */
export function waitsFor(task: Task, tasks: ReadonlyMap<string, Task>): string[] {
  if (!openStates.has(task.state)) return [];
  return task.depends_on.flatMap((id) => {
    const other = tasks.get(id);
    if (other === undefined) return [id.slice(0, 8)];
    return other.state === "completed" ? [] : [other.title];
  });
}

/** Pages that were read, and what events have told since: the later change counts. */
export function newestOf(...lists: readonly Iterable<Task>[]): Task[] {
  const newest = new Map<string, Task>();
  for (const list of lists) {
    for (const task of list) {
      const known = newest.get(task.id);
      if (!known || known.updated_at <= task.updated_at) newest.set(task.id, task);
    }
  }
  return [...newest.values()];
}

const byAge = (a: Task, b: Task): number =>
  a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : 0;
