import type { MessageLine } from "./drawing.ts";
import { HEAD, ROW } from "./places.ts";
import styles from "./lines.module.css";

const middleOf = (lane: number): number => HEAD + lane * ROW + ROW / 2;

/** Messages: each begins where it was sent and ends where it was seen. */
export function MessageLines({
  messages,
  colourOf,
  hovered,
}: {
  readonly messages: readonly MessageLine[];
  readonly colourOf: ReadonlyMap<string, string>;
  readonly hovered: string | undefined;
}) {
  return (
    <>
      {messages.map(({ of, from, to, isOpen }) => {
        const [y1, y2] = [middleOf(from.lane), middleOf(to.lane)];
        const d = `M${from.x.toFixed(1)} ${y1} L${to.x.toFixed(1)} ${y2}`;
        return (
          <g
            key={of.key}
            data-key={of.key}
            class={`${styles.message} ${colourOf.get(of.from) ?? ""}`}
            data-open={isOpen}
            data-hovered={of.key === hovered}
          >
            <path class={styles.reach} d={d} />
            <path class={styles.thread} d={d} />
            {of.step === "dead" ? (
              <path class={styles.dead} d={`M${to.x - 4} ${y2 - 4} l8 8 m0 -8 l-8 8`} />
            ) : (
              <circle class={styles.end} cx={to.x} cy={y2} r="3" />
            )}
          </g>
        );
      })}
    </>
  );
}
