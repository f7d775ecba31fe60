import type { AgentRow } from "../state/team-state.ts";
import { cords } from "../ui/cord-class.ts";
import { money, t } from "../words/words.ts";
import type { DayCosts } from "./costs-by-day.ts";
import styles from "./spend.module.css";

const HEIGHT = 140;
const MOST_DAYS = 60;

/** A bar for each of the newest days, with a part for each agent in its cord's colour. */
export function DayBars({
  days,
  agents,
}: {
  readonly days: readonly DayCosts[];
  readonly agents: readonly AgentRow[];
}) {
  const shown = days.slice(-MOST_DAYS);
  const most = Math.max(...shown.map(({ usd }) => usd), 0);
  if (most === 0) return null;
  const step = 100 / Math.max(7, shown.length);
  return (
    <figure class={styles.figure}>
      <svg
        role="img"
        width="100%"
        height={HEIGHT + 24}
        aria-label={t("spend.chart", { n: shown.length })}
      >
        <text class={styles.scale} x="0" y="11">
          {money(most)}
        </text>
        <line class={styles.base} x1="0" x2="100%" y1={HEIGHT} y2={HEIGHT} />
        {shown.map(({ day, byAgent }, index) => {
          let top = HEIGHT;
          return (
            <g key={day}>
              {agents.map(({ id, cord }) => {
                const height = ((byAgent.get(id) ?? 0) / most) * (HEIGHT - 18);
                top -= height;
                return (
                  <rect
                    key={id}
                    class={`${styles.bar} ${cords[cord] ?? ""}`}
                    x={`${index * step + step * 0.15}%`}
                    width={`${step * 0.7}%`}
                    y={top}
                    height={height}
                  />
                );
              })}
              {(shown.length <= 10 || index % 7 === 0) && (
                <text class={styles.scale} x={`${index * step + step * 0.15}%`} y={HEIGHT + 16}>
                  {day.slice(5)}
                </text>
              )}
            </g>
          );
        })}
      </svg>
      <ul class={styles.legend}>
        {agents.map(({ id, cord }) => (
          <li key={id} class={cords[cord]}>
            {id}
          </li>
        ))}
      </ul>
    </figure>
  );
}
