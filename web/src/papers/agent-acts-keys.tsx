import type { AgentRow } from "../state/team-state.ts";
import { useAct } from "../state/use-act.ts";
import { ConfirmKey } from "../ui/confirm-key.tsx";
import { Key } from "../ui/key.tsx";
import { StateWord } from "../ui/state-word.tsx";
import { Failure } from "../ui/view.tsx";
import { t } from "../words/words.ts";
import type { AgentAct } from "./agent-acts.ts";
import { agentActs, canDo } from "./agent-acts.ts";
import styles from "./papers.module.css";

/** What can be done with the agent now. Its state tells what was done, not the press. */
export function AgentActs({ row }: { readonly row: AgentRow }) {
  const act = useAct();
  const hasTurn = row.view?.turn !== undefined;
  const offered = agentActs.filter((each) => canDo(each, row.state, hasTurn));
  const run = (method: AgentAct): void => void act.run(method, { agent: row.id });
  return (
    <>
      <p class={styles.acts} aria-busy={act.isBusy}>
        <StateWord state={row.state} />
        {offered.map((each) =>
          each === "stop" || each === "abort" ? (
            <ConfirmKey
              key={each}
              question={t(`papers.ask.${each}`, { agent: row.id })}
              yes={t(`papers.yes.${each}`)}
              isDisabled={act.isBusy}
              onConfirm={() => run(each)}
            >
              {t(`papers.act.${each}`)}
            </ConfirmKey>
          ) : (
            <Key key={each} isDisabled={act.isBusy} onClick={() => run(each)}>
              {t(`papers.act.${each}`)}
            </Key>
          ),
        )}
        {act.isBusy && <span role="status">{t("papers.asked")}</span>}
      </p>
      <Failure>{act.failure}</Failure>
    </>
  );
}
