import type { Task, TaskReport } from "agent-switchboard/wire";
import { VisibleText } from "../characters/visible-text.tsx";
import { useMayAct, useTeam } from "../state/page-state.ts";
import { useAct } from "../state/use-act.ts";
import { useAsk } from "../state/use-ask.ts";
import { AgentLink } from "../ui/agent-link.tsx";
import { ConfirmKey } from "../ui/confirm-key.tsx";
import { cords } from "../ui/cord-class.ts";
import { MessageCard } from "../ui/message-card.tsx";
import { Facts, Failure, Part, View } from "../ui/view.tsx";
import { When } from "../ui/when.tsx";
import { money, number, t } from "../words/words.ts";
import { TaskCard } from "./task-card.tsx";
import { TaskState } from "./task-state.tsx";
import { openStates } from "./task-tree.ts";
import styles from "./tasks.module.css";

/** One task: what it is part of, what it waits for, its messages and its cost. */
export function TaskPage({ id }: { readonly id: string }) {
  const { answer, failure } = useAsk("task", { id }, ["task_changed", "turn_ended"]);
  if (answer === undefined) {
    return (
      <View title={t("tasks.title")} tools={<a href="/tasks">{t("tasks.back")}</a>}>
        <Failure>{failure}</Failure>
      </View>
    );
  }
  return <Report report={answer} failure={failure} />;
}

function Report({
  report,
  failure,
}: {
  readonly report: TaskReport;
  readonly failure: string | undefined;
}) {
  const { task, spent, messages } = report;
  const mayAct = useMayAct();
  const act = useAct();
  const rows = useTeam().agents.value;
  const around = [report.parents, report.children, report.dependencies, report.dependents].flat();
  const all = new Map([...around, task].map((each) => [each.id, each]));
  return (
    <View
      title={<VisibleText text={task.title} />}
      tools={
        <>
          {mayAct && openStates.has(task.state) && (
            <ConfirmKey
              question={t("tasks.cancelAsk")}
              yes={t("tasks.cancelYes")}
              isDisabled={act.isBusy}
              onConfirm={() => void act.run("cancel", { task: task.id })}
            >
              {t("tasks.cancel")}
            </ConfirmKey>
          )}
          <a href="/tasks">{t("tasks.back")}</a>
        </>
      }
    >
      <Failure>{act.failure ?? failure}</Failure>
      <Facts
        pairs={[
          [t("tasks.state"), <TaskState state={task.state} />],
          [t("tasks.from"), <AgentLink id={task.from_agent} />],
          [t("tasks.to"), <AgentLink id={task.to_agent} />],
          [t("tasks.created"), <When at={task.created_at} />],
          [t("tasks.updated"), <When at={task.updated_at} />],
          [`${t("tasks.cost")} (${t("tasks.costHelp")})`, money(spent.usd)],
          [t("tasks.tokens"), number(spent.tokens)],
          [t("tasks.turns"), number(spent.turns)],
        ]}
      />
      <Around title={t("tasks.parents")} tasks={report.parents} all={all} />
      <Around title={t("tasks.dependencies")} tasks={report.dependencies} all={all} />
      <Around title={t("tasks.dependents")} tasks={report.dependents} all={all} />
      <Around title={t("tasks.children")} tasks={report.children} all={all} />
      <Part title={t("tasks.messages")}>
        <div class={styles.messages}>
          {messages.map((message) => {
            const row = rows.find(({ id }) => id === message.from_agent);
            return (
              <MessageCard
                key={message.id}
                message={message}
                cord={row && cords[row.cord]}
                link={`/mail/${message.id}`}
              />
            );
          })}
        </div>
      </Part>
    </View>
  );
}

function Around({
  title,
  tasks,
  all,
}: {
  readonly title: string;
  readonly tasks: readonly Task[];
  readonly all: ReadonlyMap<string, Task>;
}) {
  if (tasks.length === 0) return null;
  return (
    <Part title={title}>
      <ul class={styles.list}>
        {tasks.map((task) => (
          <li key={task.id}>
            <TaskCard task={task} tasks={all} cost={undefined} />
          </li>
        ))}
      </ul>
    </Part>
  );
}
