import { useState } from "preact/hooks";
import { usePage } from "../../state/page-state.ts";
import { t } from "../../words/words.ts";
import styles from "./message-view.module.css";
import { copyText } from "./copy-text.ts";

const TOLD_MS = 2000;

export function CopyKey({ text }: { readonly text: () => string }) {
  const { announcement } = usePage();
  const [isDone, setDone] = useState(false);
  const tell = (): void => {
    setDone(true);
    announcement.value = { text: t("talk.copied"), isUrgent: false };
    setTimeout(() => setDone(false), TOLD_MS);
  };
  return (
    <button
      type="button"
      class={styles.copy}
      onClick={() => {
        copyText(text()).then(tell, () => undefined);
      }}
    >
      {t(isDone ? "talk.copied" : "talk.copy")}
    </button>
  );
}
