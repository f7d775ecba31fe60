import { VisibleText } from "../../characters/visible-text.tsx";
import { useComputed } from "@preact/signals";
import { useState } from "preact/hooks";
import { explain } from "../../link/errors.ts";
import { number, t } from "../../words/words.ts";
import { useTalk } from "../talk-context.ts";
import { Sheet } from "./sheet.tsx";

const signs = { pending: "○", in_progress: "▸", completed: "✓" } as const;

/** The list of things to do, and what runs in the background. */
export function WorkInHand() {
  return (
    <>
      <Todo />
      <Background />
    </>
  );
}

function Todo() {
  const { state } = useTalk();
  const todo = useComputed(() => state.conversation.value.todo).value;
  if (todo.length === 0) return null;
  const done = todo.filter(({ status }) => status === "completed").length;
  const current = todo.find(({ status }) => status === "in_progress");
  return (
    <Sheet
      title={`${t("talk.todo")} ${number(done)}/${number(todo.length)}${current ? ` · ${current.active_form ?? current.content}` : ""}`}
    >
      {() => (
        <ul>
          {todo.map(({ content, status, id }, index) => (
            <li key={id ?? index} data-status={status}>
              <span aria-hidden="true">{signs[status]}</span>
              <span>
                <VisibleText text={content} />
              </span>
              <span class="unseen">{t(`tool.todo.${status}`)}</span>
            </li>
          ))}
        </ul>
      )}
    </Sheet>
  );
}

function Background() {
  const { state, actions } = useTalk();
  const [problem, setProblem] = useState<string>();
  const tasks = useComputed(() => state.conversation.value.backgroundTasks).value;
  const { stopTask } = actions;
  if (tasks.length === 0) return null;
  return (
    <Sheet title={`${t("talk.background")} ${number(tasks.length)}`}>
      {() => (
        <ul>
          {tasks.map(({ task_id: id, description, agent }) => (
            <li key={id}>
              <span>
                <VisibleText
                  text={agent === undefined ? description : `${agent}: ${description}`}
                />
              </span>
              {stopTask && (
                <button
                  type="button"
                  onClick={() => {
                    stopTask(id).catch((error: unknown) => setProblem(explain(error)));
                  }}
                >
                  {t("talk.end")}
                </button>
              )}
            </li>
          ))}
          {problem !== undefined && <li role="alert">{problem}</li>}
        </ul>
      )}
    </Sheet>
  );
}
