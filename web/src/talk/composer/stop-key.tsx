import { useComputed } from "@preact/signals";
import { useState } from "preact/hooks";
import { explain } from "../../link/errors.ts";
import { Key } from "../../ui/key.tsx";
import { t } from "../../words/words.ts";
import { useTalk } from "../talk-context.ts";
import styles from "./composer.module.css";

/** Ends the running turn. It is there while one runs, and tells the truth about whether it has ended. */
export function StopKey() {
  const { state, actions } = useTalk();
  const openTurn = useComputed(() => state.conversation.value.openTurn).value;
  const [stopped, setStopped] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const { abort } = actions;
  if (!abort || openTurn === undefined) return null;
  const isStopping = stopped === openTurn && problem === undefined;
  return (
    <>
      <Key
        tone="stop"
        isDisabled={isStopping}
        onClick={() => {
          setStopped(openTurn);
          setProblem(undefined);
          abort().catch((error: unknown) => setProblem(explain(error)));
        }}
      >
        {t(isStopping ? "talk.stopping" : "talk.stop")}
      </Key>
      {problem !== undefined && (
        <span class={styles.problem} role="alert">
          {problem}
        </span>
      )}
    </>
  );
}
