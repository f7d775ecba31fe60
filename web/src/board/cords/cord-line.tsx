import { visibleString } from "../../characters/visible-characters.ts";
import type { AgentRow } from "../../state/team-state.ts";
import cordColours from "../../ui/cords.module.css";
import { onPress } from "../../ui/press.ts";
import { t } from "../../words/words.ts";
import type { CordPath } from "./cord-path.ts";
import type { Cord } from "./open-cords.ts";
import { nameOf } from "../../ui/name-of.ts";
import styles from "./cord-line.module.css";

const widths = { low: 2, normal: 4, high: 6, urgent: 8 } as const;

/** A message on its way: the colour is the sender's, the width its priority, dots say that it is not delivered yet. */
export function CordLine({
  cord: { flight, state },
  path,
  row,
  isChosen,
  onChoose,
}: {
  readonly cord: Cord;
  readonly path: CordPath;
  readonly row: AgentRow | undefined;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}) {
  const from = nameOf(flight.from);
  const { plug, middle } = path;
  const width = widths[flight.priority];
  return (
    <g
      class={`${styles.cord} ${row ? cordColours[`cord${row.cord}`] : ""}`}
      data-state={state}
      role="button"
      tabindex={0}
      aria-pressed={isChosen}
      aria-label={t("board.cord", {
        from,
        to: nameOf(flight.to),
        words: visibleString(flight.words),
        state: t(`board.cordState.${state}`),
      })}
      {...onPress(onChoose)}
    >
      <path class={styles.reach} d={path.d} />
      {isChosen && <path class={styles.chosen} d={path.d} stroke-width={width + 6} />}
      {state !== "waiting" && (
        <path key="whole" class={styles.whole} d={path.d} stroke-width={width} pathLength={1} />
      )}
      {state === "waiting" && (
        <path key="dots" class={styles.dots} d={path.d} stroke-width={width} />
      )}
      {row?.isStriped === true && <path class={styles.stripe} d={path.d} stroke-width={width} />}
      {state === "dead" && (
        <path class={styles.dead} d={`M${middle.x - 6} ${middle.y - 6} l12 12 m0 -12 l-12 12`} />
      )}
      <circle class={styles.plug} cx={plug.x} cy={plug.y} r="9" />
      <text class={styles.initial} x={plug.x} y={plug.y + 4}>
        {Array.from(from)[0]}
      </text>
    </g>
  );
}
