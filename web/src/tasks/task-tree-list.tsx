import type { Task } from "agent-switchboard/wire";
import { TaskCard } from "./task-card.tsx";
import type { TaskBranch } from "./task-tree.ts";
import { treeOf } from "./task-tree.ts";
import styles from "./tasks.module.css";

/** Wholes with their parts below them. */
export function TaskTree({
  tasks,
  costs,
}: {
  readonly tasks: readonly Task[];
  readonly costs: ReadonlyMap<string, number>;
}) {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  return (
    <div class={styles.tree}>
      <Branches branches={treeOf(tasks)} tasks={byId} costs={costs} />
    </div>
  );
}

function Branches({
  branches,
  ...rest
}: {
  readonly branches: readonly TaskBranch[];
  readonly tasks: ReadonlyMap<string, Task>;
  readonly costs: ReadonlyMap<string, number>;
}) {
  return (
    <ul>
      {branches.map(({ task, parts }) => (
        <li key={task.id}>
          <TaskCard task={task} tasks={rest.tasks} cost={rest.costs.get(task.id)} />
          {parts.length > 0 && <Branches branches={parts} {...rest} />}
        </li>
      ))}
    </ul>
  );
}
