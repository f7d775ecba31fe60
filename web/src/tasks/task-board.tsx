import type { Task } from "agent-switchboard/wire";
import { t } from "../words/words.ts";
import { TaskCard } from "./task-card.tsx";
import styles from "./tasks.module.css";

const columns: readonly { readonly key: string; readonly states: readonly Task["state"][] }[] = [
  { key: "submitted", states: ["submitted"] },
  { key: "working", states: ["working"] },
  { key: "input_required", states: ["input_required"] },
  { key: "ended", states: ["completed", "failed", "canceled", "timed_out"] },
];

/** A column for each state of an open task, and one for all that have ended. */
export function TaskBoard({
  tasks,
  costs,
}: {
  readonly tasks: readonly Task[];
  readonly costs: ReadonlyMap<string, number>;
}) {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  return (
    <div class={styles.board}>
      {columns.map(({ key, states }) => {
        const held = tasks.filter(({ state }) => states.includes(state));
        const [first] = states;
        const title = key === "ended" || !first ? t("tasks.ended") : t(`task.state.${first}`);
        return (
          <section key={key} aria-label={title} data-empty={held.length === 0 ? "" : undefined}>
            <h2>
              {title} · {held.length}
            </h2>
            {held.length === 0 ? (
              <p>{t("tasks.emptyColumn")}</p>
            ) : (
              <ul>
                {held.map((task) => (
                  <li key={task.id}>
                    <TaskCard task={task} tasks={byId} cost={costs.get(task.id)} />
                  </li>
                ))}
              </ul>
            )}
          </section>
        );
      })}
    </div>
  );
}
