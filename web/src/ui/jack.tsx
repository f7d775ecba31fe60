import type { AgentRow } from "../state/team-state.ts";
import cords from "./cords.module.css";
import styles from "./jack.module.css";

/** An agent's jack: a ring in the colour of its cord around a dark hole. Its shape tells the state, not only its colour. */
export function Jack({
  agent,
  size = 20,
}: {
  readonly agent: Pick<AgentRow, "cord" | "isStriped" | "state">;
  readonly size?: number;
}) {
  const { cord, isStriped, state } = agent;
  return (
    <svg
      class={`${styles.jack} ${cords[`cord${cord}`]}`}
      viewBox="0 0 20 20"
      width={size}
      height={size}
      data-state={state}
      aria-hidden="true"
    >
      <circle cx="10" cy="10" r="8" class={styles.ring} data-striped={isStriped} />
      <circle cx="10" cy="10" r="4" class={styles.hole} />
      {state === "working" && <circle cx="10" cy="10" r="2.5" class={styles.works} />}
      {state === "waiting" && <rect x="6.5" y="6.5" width="7" height="7" class={styles.wanted} />}
      {state === "quarantined" && <path d="M6 6 L14 14 M14 6 L6 14" class={styles.barred} />}
      {state === "stopped" && <path d="M4 16 L16 4" class={styles.barred} />}
    </svg>
  );
}
