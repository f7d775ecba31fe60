import { useMayAct, usePage } from "../state/page-state.ts";
import { t } from "../words/words.ts";
import { useTalk } from "./talk-context.ts";
import styles from "./talk-panel.module.css";

/** Why one cannot write here, and what wakes an agent that sleeps. */
export function ReadOnlyNote({ isLead }: { readonly isLead: boolean }) {
  const { team } = usePage();
  const { state } = useTalk();
  const mayAct = useMayAct();
  const { agent } = state;
  const row = team?.agents.value.find(({ id }) => id === agent);
  const isAsleep = state.life.value.kind === "asleep";
  const lead = team?.status.value?.lead ?? "";
  if (mayAct && isLead && !isAsleep) return null;
  return (
    <div class={styles.note} role="note">
      {isAsleep && agent !== undefined && <span>{whyAsleep(agent, row?.state)}</span>}
      {!mayAct && <span>{t("talk.readOnly.viewer")}</span>}
      {mayAct && !isLead && (
        <span>
          {t("talk.readOnly.agent", { lead })} <a href="/talk">{t("talk.toLead", { lead })}</a>
        </span>
      )}
    </div>
  );
}

function whyAsleep(agent: string, state: string | undefined): string {
  if (state === "hibernated" || state === "quarantined" || state === "stopped") {
    return t(`talk.asleep.${state}`, { agent });
  }
  return state === undefined ? t("talk.asleep.left", { agent }) : "";
}
