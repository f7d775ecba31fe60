import { useState } from "preact/hooks";
import type { DeadMessage } from "agent-switchboard/team/core";
import { VisibleText } from "../characters/visible-text.tsx";
import { useMayAct } from "../state/page-state.ts";
import { useAct } from "../state/use-act.ts";
import { useAsk } from "../state/use-ask.ts";
import { ConfirmKey } from "../ui/confirm-key.tsx";
import { Key } from "../ui/key.tsx";
import { nameOf } from "../ui/name-of.ts";
import { Failure, Part } from "../ui/view.tsx";
import { When } from "../ui/when.tsx";
import { number, t, wordFor } from "../words/words.ts";
import styles from "./lost.module.css";

/** Messages that could not be delivered, and what a person can do with each. */
export function DeadLetters() {
  const [all, setAll] = useState(false);
  const { answer, failure, again } = useAsk("dead_letters", { all }, [
    "message_moved",
    "message_sent",
  ]);
  const letters = answer?.dead_letters ?? [];
  return (
    <Part title={t("lost.dead")}>
      <Failure>{failure}</Failure>
      <p>
        <Key isPressed={all} onClick={() => setAll(!all)}>
          {t("lost.all")}
        </Key>
      </p>
      {answer !== undefined && letters.length === 0 && <p>{t("lost.noDead")}</p>}
      <ul class={styles.list}>
        {letters.map((letter) => (
          <li key={letter.message.id}>
            <DeadLetter letter={letter} onDone={again} />
          </li>
        ))}
      </ul>
    </Part>
  );
}

function DeadLetter({
  letter,
  onDone,
}: {
  readonly letter: DeadMessage;
  readonly onDone: () => void;
}) {
  const { message, fate, resent_as: resentAs } = letter;
  const mayAct = useMayAct();
  const act = useAct();
  const run = async (method: "resend" | "discard"): Promise<void> => {
    if (await act.run(method, { id: message.id })) onDone();
  };
  return (
    <article class={styles.letter}>
      <header>
        <b>
          {nameOf(message.from_agent)} → {nameOf(message.to_agent)}
        </b>
        <span>
          {t("lost.died")} <When at={letter.died_at} />
        </span>
        <span>
          {t("lost.attempts")} {number(letter.attempts)}
        </span>
        <a href={`/mail/${message.id}`}>{t("board.openMessage")}</a>
      </header>
      <p class={styles.words}>
        <VisibleText text={message.content.slice(0, 400)} />
      </p>
      <p class={styles.why}>
        <span aria-hidden="true">✕ </span>
        <b>{wordFor("lost.cause", letter.cause) ?? letter.cause}</b>{" "}
        <VisibleText text={letter.why} />
      </p>
      {fate === "open" ? (
        mayAct && (
          <p class={styles.acts}>
            <Key isDisabled={act.isBusy} onClick={() => void run("resend")}>
              {t("lost.resend")}
            </Key>
            <ConfirmKey
              question={t("lost.discardAsk")}
              yes={t("lost.discardYes")}
              isDisabled={act.isBusy}
              onConfirm={() => void run("discard")}
            >
              {t("lost.discard")}
            </ConfirmKey>
          </p>
        )
      ) : (
        <p class={styles.fate}>
          {fate === "resent" ? t("lost.resent") : t("lost.discarded")}{" "}
          {resentAs !== null && <a href={`/mail/${resentAs}`}>{resentAs.slice(0, 8)}</a>}
        </p>
      )}
      <Failure>{act.failure}</Failure>
    </article>
  );
}
