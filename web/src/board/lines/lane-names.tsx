import type { AgentRow } from "../../state/team-state.ts";
import { Jack } from "../../ui/jack.tsx";
import { t } from "../../words/words.ts";
import styles from "./lines.module.css";

/** The names of the lanes: they stay where they are while the time is moved. */
export function LaneNames({ agents }: { readonly agents: readonly AgentRow[] }) {
  return (
    <ul class={styles.names}>
      <li>
        <span>{t("board.you")}</span>
      </li>
      {agents.map((agent) => (
        <li key={agent.id}>
          <a href={`/a/${agent.id}`} title={agent.id}>
            <Jack agent={agent} size={14} />
            <span>{agent.id}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
