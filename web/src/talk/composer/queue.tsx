import { VisibleText } from "../../characters/visible-text.tsx";
import { useComputed } from "@preact/signals";
import type { MessageItem } from "agent-switchboard/client/core";
import { useMemo, useState } from "preact/hooks";
import { explain } from "../../link/errors.ts";
import { Strip } from "../../ui/strip.tsx";
import { t } from "../../words/words.ts";
import { useTalk } from "../talk-context.ts";
import { plainTextOf } from "../transcript/plain-text.ts";
import type { ComposerState } from "./composer-state.ts";
import { randomId } from "./random-id.ts";
import { sameList } from "./same-list.ts";
import { useTeamQueue } from "./use-team-queue.ts";
import styles from "./queue.module.css";

/** Messages that wait for the model. A row goes when an event says so, never before. */
export function Queue({ composer }: { readonly composer: ComposerState }) {
  const { state } = useTalk();
  const keep = useMemo(() => sameList<MessageItem>(), []);
  const queued = useComputed(() =>
    keep(
      state.conversation.value.items.filter(
        (item): item is MessageItem => item.kind === "message" && item.fate === "queued",
      ),
    ),
  ).value;
  const inTeam = useTeamQueue();
  // Its event may come before the answer.
  const known = new Set([...queued.map(({ message }) => message), ...inTeam].map(({ id }) => id));
  const sending = composer.sending.value.filter(({ id }) => !known.has(id));
  if (queued.length + inTeam.length + sending.length === 0) return null;
  return (
    <div class={styles.queue}>
      <Strip as="span">{t("talk.queued")}</Strip>
      <ul>
        {queued.map(({ message }) => (
          <QueuedRow
            key={message.id}
            id={message.id}
            words={plainTextOf(message)}
            isPlain={typeof message.text === "string"}
            isNow={message.priority === "now"}
            composer={composer}
          />
        ))}
        {inTeam.map(({ id, content, metadata }) => (
          <QueuedRow
            key={id}
            id={id}
            words={content}
            isPlain
            isNow={metadata.priority === "urgent"}
            composer={composer}
          />
        ))}
        {sending.map(({ id, text }) => (
          <li key={id} class={styles.row}>
            <span class={styles.words}>{text === "" ? t("talk.picture") : text}</span>
            <span>{t("talk.sending")}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function QueuedRow({
  id,
  words,
  isPlain,
  isNow,
  composer,
}: {
  readonly id: string;
  readonly words: string;
  /** Only words can be taken back into the field. */
  readonly isPlain: boolean;
  readonly isNow: boolean;
  readonly composer: ComposerState;
}) {
  const { actions } = useTalk();
  const [problem, setProblem] = useState<string>();
  const { drop, send } = actions;
  /** What was taken back goes on; what was too late stays as it is, and the person is told. */
  const takeBack = (then: () => unknown): void => {
    if (!drop) return;
    setProblem(undefined);
    drop(id)
      .then((outcome) => (outcome === "dropped" ? then() : setProblem(t("talk.tooLate"))))
      .catch((error: unknown) => setProblem(explain(error)));
  };
  return (
    <li class={styles.row}>
      <span class={styles.words}>
        <VisibleText text={words === "" ? t("talk.picture") : words} />
      </span>
      {drop && send && isPlain && !isNow && (
        <button
          type="button"
          class={styles.key}
          onClick={() => takeBack(() => send(words, { id: randomId(), priority: "now" }))}
        >
          <span aria-hidden="true">⇧ </span>
          {t("talk.queueNow")}
        </button>
      )}
      {drop && isPlain && (
        <button
          type="button"
          class={styles.key}
          onClick={() =>
            takeBack(() =>
              composer.type([words, composer.text.peek()].filter((each) => each !== "").join("\n")),
            )
          }
        >
          {t("talk.queueChange")}
        </button>
      )}
      {drop && (
        <button type="button" class={styles.key} onClick={() => takeBack(() => undefined)}>
          {t("talk.queueDrop")}
        </button>
      )}
      {problem !== undefined && <span role="alert">{problem}</span>}
    </li>
  );
}
