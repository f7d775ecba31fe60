import { VisibleText } from "../../characters/visible-text.tsx";
import { counted, lengthOfTime, money, t, timeOfDay } from "../../words/words.ts";
import { nameOf } from "../../ui/name-of.ts";
import type { Lanes } from "../scene/lanes.ts";
import styles from "./lines.module.css";

/** What a person is told of the element that they point at. */
export function Details({
  lanes,
  id,
  now,
}: {
  readonly lanes: Lanes;
  readonly id: string | undefined;
  readonly now: number;
}) {
  const details = id === undefined ? undefined : detailsOf(lanes, id, now);
  return (
    <p class={styles.details}>
      {details ? (
        <>
          <b>{details.who}</b> <VisibleText text={details.text} />
        </>
      ) : (
        <span>{t("lines.key")}</span>
      )}
    </p>
  );
}

/** With a time of 0 lengths of what still runs are left out. */
export function detailsOf(
  lanes: Lanes,
  key: string,
  now: number,
): { readonly who: string; readonly text: string } | undefined {
  const turn = lanes.turns.get(key);
  if (turn) {
    const { from, to, tools, costUsd } = turn;
    const length =
      to === undefined
        ? now > 0 && t("lines.turnRuns", { length: lengthOfTime(now - from) })
        : t("lines.turnTook", { length: lengthOfTime(to - from) });
    const calls = tools > 0 && counted("lines.tool", "lines.tools", tools);
    const parts = [t("lines.turn", { id: turn.id }), timeOfDay(from), length, calls];
    return { who: turn.agent, text: joined([...parts, costUsd > 0 && money(costUsd)]) };
  }
  const wait = lanes.waits.get(key);
  if (wait) {
    const { from, to } = wait;
    const length = to !== undefined && t("lines.waited", { length: lengthOfTime(to - from) });
    return { who: wait.agent, text: joined([length || t("lines.wait"), timeOfDay(from)]) };
  }
  const tick = lanes.ticks.get(key);
  if (tick) {
    const parts = [t(`lines.tick.${tick.kind}`), tick.words, timeOfDay(tick.at)];
    return { who: tick.agent, text: joined(parts) };
  }
  const flight = lanes.flights.get(key);
  if (!flight) return undefined;
  const { sentAt, seenAt } = flight;
  const latency =
    seenAt === undefined
      ? t("lines.notSeen")
      : t("lines.latency", { length: lengthOfTime(seenAt - sentAt) });
  return {
    who: `${nameOf(flight.from)} → ${nameOf(flight.to)}`,
    text: joined([timeOfDay(sentAt), latency, flight.words]),
  };
}

const joined = (parts: readonly (string | false)[]): string =>
  parts.filter((part) => part !== false && part !== "").join(" · ");
