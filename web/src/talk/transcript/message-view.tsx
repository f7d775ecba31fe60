import { VisibleText } from "../../characters/visible-text.tsx";
import type { MessageItem } from "agent-switchboard/client/core";
import type { TeamState } from "../../state/team-state.ts";
import { CopyButton } from "../../code/copy-button.tsx";
import { usePage } from "../../state/page-state.ts";
import { cords } from "../../ui/cord-class.ts";
import { t, timeOfDay } from "../../words/words.ts";
import { ContentView } from "./content-view.tsx";
import styles from "./message-view.module.css";
import { enveloped } from "./enveloped.ts";
import { plainTextOf } from "./plain-text.ts";

/** What a person, or another agent, has said to the model. */
export function MessageView({ item: { message, fate } }: { readonly item: MessageItem }) {
  const { team } = usePage();
  const { id, from, by, at, text, content, quiet } = message;
  const sender =
    from === undefined ? undefined : team?.agents.peek().find((agent) => agent.id === from);
  const name = from ?? (isFromUser(team, id) ? t("talk.user") : by) ?? t("talk.user");
  const inner = sender && typeof text === "string" ? enveloped(text) : undefined;
  return (
    <article
      class={`${styles.message} ${sender ? cords[sender.cord] : ""}`}
      data-from={sender ? "agent" : "person"}
      data-fate={fate}
    >
      <header class={styles.head}>
        <b>
          <VisibleText text={name} />
        </b>
        <time dateTime={at} title={at}>
          {timeOfDay(at)}
        </time>
        {quiet === true && <span>{t("talk.quiet")}</span>}
        {fate === "dropped" && <span>{t("talk.dropped")}</span>}
        <CopyButton text={() => plainTextOf(message)} />
      </header>
      <ContentView content={content ?? [{ type: "text", text: inner?.content ?? text ?? "" }]} />
      {inner && (
        <details class={styles.envelope}>
          <summary>{t("talk.envelope")}</summary>
          <p>
            <VisibleText text={inner.envelope} />
          </p>
        </details>
      )}
    </article>
  );
}

/** The team hands over what a person has said to it. */
const isFromUser = (team: TeamState | undefined, id: string): boolean =>
  team?.view.messages.get(id)?.message.from_agent === "user";
