import type { Task } from "agent-switchboard/wire";
import { nameOf } from "../ui/name-of.ts";
import { VisibleText } from "../characters/visible-text.tsx";
import { useTeam } from "../state/page-state.ts";
import { cords } from "../ui/cord-class.ts";
import { When } from "../ui/when.tsx";
import { money, t } from "../words/words.ts";
import { TaskState } from "./task-state.tsx";
import { waitsFor } from "./task-tree.ts";
import styles from "./task-card.module.css";

/** A task as a small ticket; its edge has the colour of the agent that works on it. */
export function TaskCard({
  task,
  tasks,
  cost,
}: {
  readonly task: Task;
  readonly tasks: ReadonlyMap<string, Task>;
  readonly cost: number | undefined;
}) {
  const row = useTeam().agents.value.find(({ id }) => id === task.to_agent);
  const waits = waitsFor(task, tasks);
  return (
    <article class={`${styles.card} ${row ? cords[row.cord] : ""}`}>
      <h3>
        <a href={`/tasks/${task.id}`}>
          <VisibleText text={task.title} />
        </a>
      </h3>
      <p class={styles.meta}>
        <span>
          {nameOf(task.from_agent)} → {task.to_agent}
        </span>
        <TaskState state={task.state} />
      </p>
      {waits.length > 0 && (
        <p class={styles.waits}>
          <VisibleText text={t("tasks.waitsFor", { title: waits.join(" · ") })} />
        </p>
      )}
      <p class={styles.meta}>
        <When at={task.updated_at} />
        {cost !== undefined && <span title={t("tasks.costHelp")}>{money(cost)}</span>}
      </p>
    </article>
  );
}
