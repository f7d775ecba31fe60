import { lengthOfTime, t, wordFor } from "../../words/words.ts";
import { useTalk } from "../talk-context.ts";
import styles from "./note-view.module.css";

/** What holds now and passes: a new try after a failure, a summary that is being made. */
export function LiveNotes() {
  const { state } = useTalk();
  const { retry, compacting } = state.conversation.value;
  return (
    <>
      {retry && (
        <p class={styles.note} data-tone="bad">
          {t("talk.retry", {
            n: retry.attempt,
            max: retry.max,
            time: lengthOfTime(retry.delay_ms),
            why: wordFor("error", retry.code) ?? retry.code,
          })}
        </p>
      )}
      {compacting && <p class={styles.note}>{t("talk.compacting")}</p>}
    </>
  );
}
