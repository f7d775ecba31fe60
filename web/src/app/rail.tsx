import { useLocation } from "preact-iso";
import { useTeam } from "../state/page-state.ts";
import type { AgentRow } from "../state/team-state.ts";
import { Jack } from "../ui/jack.tsx";
import { StateWord } from "../ui/state-word.tsx";
import { Strip } from "../ui/strip.tsx";
import { money, t } from "../words/words.ts";
import styles from "./rail.module.css";

/** All agents with their state, by the order of the team file. */
export function Rail() {
  const team = useTeam();
  return (
    <nav class={styles.rail} aria-label={t("app.agents")}>
      <Strip as="h2">{t("app.agents")}</Strip>
      <ul>
        {team.agents.value.map((agent) => (
          <li key={agent.id}>
            <AgentLink agent={agent} />
          </li>
        ))}
      </ul>
    </nav>
  );
}

function AgentLink({ agent }: { readonly agent: AgentRow }) {
  const { path } = useLocation();
  const to = `/a/${agent.id}`;
  const isHere = path === to || path.startsWith(`${to}/`);
  return (
    <a class={styles.agent} href={to} aria-current={isHere ? "page" : undefined}>
      <Jack agent={agent} />
      <span class={styles.name}>{agent.id}</span>
      <span class={styles.state}>
        <StateWord state={agent.state} />
        <span>{money(agent.status.cost_usd)}</span>
      </span>
    </a>
  );
}
