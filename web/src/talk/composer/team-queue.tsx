import { useComputed } from "@preact/signals";
import type { CCMessage } from "agent-switchboard/wire";
import { useMemo, useState } from "preact/hooks";
import { VisibleText } from "../../characters/visible-text.tsx";
import { explain } from "../../link/errors.ts";
import { t } from "../../words/words.ts";
import { useTalk } from "../talk-context.ts";
import { sameList } from "./same-list.ts";
import styles from "./queue.module.css";

/** What the person has said to the team, and the lead's session does not have yet: the team keeps it. */
export function useTeamQueue(): readonly CCMessage[] {
  const { state } = useTalk();
  const { team, agent } = state;
  const keep = useMemo(() => sameList<CCMessage>(), []);
  return useComputed(() => {
    void team?.tick.value;
    const { messages = new Map(), openTasks = new Map() } = team?.view ?? {};
    return keep(
      [...messages.values()]
        .filter(({ step }) => step === "sent")
        .map(({ message }) => message)
        .filter(({ from_agent, to_agent }) => from_agent === "user" && to_agent === agent)
        // One whose task was canceled is withdrawn at the end of the turn.
        .filter(({ id }) => openTasks.has(id)),
    );
  }).value;
}

export function TeamQueuedRow({ message }: { readonly message: CCMessage }) {
  const { actions } = useTalk();
  const [problem, setProblem] = useState<string>();
  const { drop } = actions;
  const takeBack = (): void => {
    setProblem(undefined);
    drop?.(message.id)
      .then((outcome) => outcome === "too_late" && setProblem(t("talk.tooLate")))
      .catch((error: unknown) => setProblem(explain(error)));
  };
  return (
    <li class={styles.row}>
      <span class={styles.words}>
        <VisibleText text={message.content} />
      </span>
      {drop && (
        <button type="button" class={styles.key} onClick={takeBack}>
          {t("talk.queueDrop")}
        </button>
      )}
      {problem !== undefined && <span role="alert">{problem}</span>}
    </li>
  );
}
