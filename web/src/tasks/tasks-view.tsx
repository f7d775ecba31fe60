import { useState } from "preact/hooks";
import { useRoute } from "preact-iso";
import { Empty } from "../ui/empty.tsx";
import { Key } from "../ui/key.tsx";
import { Failure, View } from "../ui/view.tsx";
import { t } from "../words/words.ts";
import { TaskBoard } from "./task-board.tsx";
import { TaskPage } from "./task-page.tsx";
import { TaskTree } from "./task-tree-list.tsx";
import { useTaskCosts } from "./use-task-costs.ts";
import { useTasks } from "./use-tasks.ts";
import styles from "./tasks.module.css";

export default function TasksView() {
  const id = useRoute().params["id"];
  return id === undefined ? <AllTasks /> : <TaskPage id={id} />;
}

/** All tasks: by their state, or as a tree of wholes and parts. */
function AllTasks() {
  const [isTree, setTree] = useState(false);
  const { tasks, isReading, failure, older } = useTasks();
  const costs = useTaskCosts(tasks);
  if (tasks.length === 0 && !isReading && failure === undefined) {
    return (
      <Empty title={t("tasks.none")} command={'switchboard send "…"'}>
        {t("tasks.noneBody")}
      </Empty>
    );
  }
  return (
    <View
      title={t("nav.tasks")}
      tools={
        <div role="group" aria-label={t("tasks.form")} class={styles.forms}>
          <Key isPressed={!isTree} onClick={() => setTree(false)}>
            {t("tasks.board")}
          </Key>
          <Key isPressed={isTree} onClick={() => setTree(true)}>
            {t("tasks.tree")}
          </Key>
        </div>
      }
    >
      <Failure>{failure}</Failure>
      {isTree ? (
        <TaskTree tasks={tasks} costs={costs} />
      ) : (
        <TaskBoard tasks={tasks} costs={costs} />
      )}
      {older && (
        <p class={styles.older}>
          <Key onClick={older}>{t("ask.older")}</Key>
        </p>
      )}
    </View>
  );
}
