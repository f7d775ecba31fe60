import { VisibleText } from "../../characters/visible-text.tsx";
import type { TextItem } from "agent-switchboard/client/core";
import { useState } from "preact/hooks";
import { lengthOfTime, t } from "../../words/words.ts";
import { useIsFound, useIsGrowing, useTalk } from "../talk-context.ts";
import styles from "./thought-view.module.css";

/** What the model has thought: folded, with how long it took if the page saw it happen. */
export function ThoughtView({ item }: { readonly item: TextItem }) {
  const { state } = useTalk();
  const [chosen, setOpen] = useState<boolean>();
  const isFound = useIsFound(item);
  const isOpen = chosen ?? isFound;
  const isGrowing = useIsGrowing(item);
  const took = state.thinkingTimes.of(item);
  const title = isGrowing
    ? t("talk.thinking")
    : took === undefined
      ? t("talk.thought")
      : t("talk.thoughtFor", { time: lengthOfTime(took) });
  return (
    <details
      class={styles.thought}
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>{title}</summary>
      {isOpen && (
        <p>
          <VisibleText text={item.text} />
        </p>
      )}
    </details>
  );
}
