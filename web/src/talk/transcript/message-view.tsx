import type { MessageItem } from "agent-switchboard/client/core";
import { usePage } from "../../state/page-state.ts";
import { cords } from "../../ui/cord-class.ts";
import { t, timeOfDay } from "../../words/words.ts";
import { ContentView } from "./content-view.tsx";
import styles from "./message-view.module.css";
import { CopyKey } from "./copy-key.tsx";
import { plainTextOf } from "./plain-text.ts";

/** What a person, or another agent, has said to the model. */
export function MessageView({ item: { message, fate } }: { readonly item: MessageItem }) {
  const { team } = usePage();
  const { from, by, at, text, content, quiet } = message;
  const sender = from === undefined ? undefined : team?.agents.peek().find(({ id }) => id === from);
  const name = from ?? by ?? t("talk.you");
  return (
    <article
      class={`${styles.message} ${sender ? cords[sender.cord] : ""}`}
      data-from={sender ? "agent" : "person"}
      data-fate={fate}
    >
      <header class={styles.head}>
        <b>{name}</b>
        <time dateTime={at} title={at}>
          {timeOfDay(at)}
        </time>
        {quiet === true && <span>{t("talk.quiet")}</span>}
        {fate === "dropped" && <span>{t("talk.dropped")}</span>}
        <CopyKey text={() => plainTextOf(message)} />
      </header>
      <ContentView content={content ?? [{ type: "text", text: text ?? "" }]} />
    </article>
  );
}
