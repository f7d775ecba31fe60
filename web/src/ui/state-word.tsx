import type { AgentState } from "agent-switchboard/wire";
import { t } from "../words/words.ts";
import styles from "./state-word.module.css";

/** Signs that say the state without colour. */
const signs: Partial<Record<AgentState, string>> = {
  working: "●",
  waiting: "!",
  hibernated: "☾",
  quarantined: "✕",
  stopped: "■",
};

/** An agent's state in a word. */
export function StateWord({ state }: { readonly state: AgentState }) {
  const sign = signs[state];
  return (
    <span class={styles.word} data-state={state}>
      {sign !== undefined && <span aria-hidden="true">{sign} </span>}
      {t(`state.${state}`)}
    </span>
  );
}
