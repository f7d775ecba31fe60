import type { Task } from "agent-switchboard/wire";
import { t } from "../words/words.ts";
import styles from "./task-state.module.css";

const signs: Readonly<Record<Task["state"], string>> = {
  submitted: "○",
  working: "●",
  input_required: "?",
  completed: "✓",
  failed: "✕",
  canceled: "–",
  timed_out: "✕",
};

/** A task's state: a sign and a word. */
export function TaskState({ state }: { readonly state: Task["state"] }) {
  return (
    <span class={styles.state} data-state={state}>
      <span aria-hidden="true">{signs[state]} </span>
      {t(`task.state.${state}`)}
    </span>
  );
}
