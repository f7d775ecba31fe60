import { signal, useComputed } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { WholeText } from "../calls/large-text.tsx";
import { explain } from "../link/errors.ts";
import type { TalkState } from "../state/talk-state.ts";
import { isComposing } from "../ui/key-press.ts";
import { Empty } from "../ui/empty.tsx";
import { t } from "../words/words.ts";
import { Composer } from "./composer/composer.tsx";
import { FindBar } from "./find/find-bar.tsx";
import { ReadOnlyNote } from "./read-only-note.tsx";
import { TalkStrip } from "./side/talk-strip.tsx";
import { storedText } from "./stored-text.ts";
import type { TalkActions } from "./talk-actions.ts";
import type { Talk } from "./talk-context.ts";
import { TalkContext } from "./talk-context.ts";
import { TalkSpeaker } from "./talk-speaker.tsx";
import { Transcript } from "./transcript/transcript.tsx";
import styles from "./talk-panel.module.css";

/** A conversation with all that belongs to it. */
export function TalkPanel({
  state,
  actions,
  isLead,
}: {
  readonly state: TalkState;
  readonly actions: TalkActions;
  readonly isLead: boolean;
}) {
  const [isFinding, setFinding] = useState(false);
  const goToEnd = useRef<() => void>(() => undefined);
  const goTo = useRef<Talk["goTo"]["current"]>(() => Promise.resolve(false));
  const growing = useComputed(() => {
    const { openTurn, items } = state.conversation.value;
    return openTurn === undefined ? undefined : items.at(-1);
  });
  const talk = useMemo<Talk>(
    () => ({
      state,
      actions,
      growing,
      found: signal(undefined),
      goToEnd,
      goTo,
      wholeText: (blob) => storedText(state, blob),
    }),
    [state, actions],
  );
  useEffect(() => {
    const open = (event: KeyboardEvent): void => {
      const isFind = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "f";
      // The second press is the browser's own.
      if (!isFind || isFinding || event.shiftKey || event.altKey || isComposing(event)) return;
      event.preventDefault();
      setFinding(true);
    };
    document.addEventListener("keydown", open);
    return () => document.removeEventListener("keydown", open);
  }, [isFinding]);
  const life = state.life.value;
  if (life.kind === "failed") {
    return <Empty title={t("talk.failed")}>{explain(life.error)}</Empty>;
  }
  return (
    <TalkContext.Provider value={talk}>
      <WholeText.Provider value={talk.wholeText}>
        <section class={styles.panel} aria-label={t("talk.conversation")}>
          <TalkStrip onFind={() => setFinding(!isFinding)} isFinding={isFinding} />
          {isFinding && <FindBar onClose={() => setFinding(false)} />}
          {life.kind === "opening" && <p class={styles.opening}>{t("talk.opening")}</p>}
          <Transcript label={t("talk.conversation")} />
          <ReadOnlyNote isLead={isLead} />
          <Composer agent={state.agent} />
          <TalkSpeaker />
        </section>
      </WholeText.Provider>
    </TalkContext.Provider>
  );
}
