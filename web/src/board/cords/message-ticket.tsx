import { VisibleText } from "../../characters/visible-text.tsx";
import { useTeam } from "../../state/page-state.ts";
import cordColours from "../../ui/cords.module.css";
import { Key } from "../../ui/key.tsx";
import { Strip } from "../../ui/strip.tsx";
import { lengthOfTime, t, timeOfDay } from "../../words/words.ts";
import { nameOf } from "../../ui/name-of.ts";
import type { Flight } from "../scene/lanes.ts";
import { cordStateOf } from "./open-cords.ts";
import styles from "./message-ticket.module.css";

/** A message written down: who, whom, when, how long, and the turn that it caused. */
export function MessageTicket({
  flight,
  onClose,
}: {
  readonly flight: Flight;
  readonly onClose: () => void;
}) {
  const row = useTeam().agents.value.find(({ id }) => id === flight.from);
  const { turn, seenAt, sentAt, why } = flight;
  return (
    <section
      class={`${styles.ticket} ${row ? cordColours[`cord${row.cord}`] : ""}`}
      aria-label={t("board.words")}
    >
      <header>
        <Strip as="h3">
          {nameOf(flight.from)} → {nameOf(flight.to)} · {t(`board.priority.${flight.priority}`)}
        </Strip>
        <Key onClick={onClose}>{t("board.close")}</Key>
      </header>
      <p class={styles.words}>
        <VisibleText text={flight.words} />
      </p>
      <p class={styles.meta}>
        <span>
          {t("board.sent")} <time title={new Date(sentAt).toISOString()}>{timeOfDay(sentAt)}</time>
        </span>
        <span>
          {seenAt === undefined
            ? t("lines.notSeen")
            : t("lines.latency", { length: lengthOfTime(seenAt - sentAt) })}
        </span>
        <span>
          {t(`board.cordState.${cordStateOf(flight)}`)}
          {why !== undefined && <VisibleText text={` · ${why}`} />}
        </span>
      </p>
      <p class={styles.links}>
        <a href={`/mail/${flight.id}`}>{t("board.openMessage")}</a>
        {turn ? (
          <a href={turnLink(turn)}>{t("board.openTurn")}</a>
        ) : (
          <span>{t("board.noTurn")}</span>
        )}
      </p>
    </section>
  );
}

/** The conversation of the agent, at that turn. */
export function turnLink(turn: {
  readonly agent: string;
  readonly id: string;
  readonly sessionSeq: number | undefined;
}): string {
  const at = turn.sessionSeq === undefined ? "" : `?at=${turn.sessionSeq}`;
  return `/a/${turn.agent}${at}#${turn.id}`;
}
