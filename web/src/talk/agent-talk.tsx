import { useComputed } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { useLocation } from "preact-iso";
import { PapersTab } from "../papers/papers-tab.tsx";
import { useMayAct, usePage, useTeam } from "../state/page-state.ts";
import { TalkState } from "../state/talk-state.ts";
import { Jack } from "../ui/jack.tsx";
import { StateWord } from "../ui/state-word.tsx";
import { t } from "../words/words.ts";
import { agentActions, noActions } from "./talk-actions.ts";
import { TalkPanel } from "./talk-panel.tsx";
import styles from "./agent-talk.module.css";

/** An agent's page: its conversation, and its papers. The conversation is open as long as the page is. */
export function AgentTalk({
  agent,
  tab,
}: {
  readonly agent: string;
  readonly tab: string | undefined;
}) {
  const team = useTeam();
  const { signedIn } = usePage();
  const mayAct = useMayAct();
  const state = useMemo(() => new TalkState({ name: signedIn.name, agent, team }), [agent, team]);
  useEffect(() => {
    state.open(signedIn.key).catch((error: unknown) => {
      state.life.value = { kind: "failed", error };
    });
    return () => void state.close();
  }, [state]);
  const isLead = useComputed(() => team.status.value?.lead === agent).value;
  const actions = useMemo(
    () => (mayAct ? agentActions(state, team, isLead) : noActions),
    [state, mayAct, isLead],
  );
  const isPapers = tab === "papers";
  return (
    <>
      <Tabs agent={agent} isPapers={isPapers} />
      {isPapers ? (
        <PapersTab agent={agent} talk={state} />
      ) : (
        <TalkPanel state={state} actions={actions} isLead={isLead} />
      )}
    </>
  );
}

function Tabs({ agent, isPapers }: { readonly agent: string; readonly isPapers: boolean }) {
  const team = useTeam();
  const { path } = useLocation();
  const row = team.agents.value.find(({ id }) => id === agent);
  const talk = path === "/talk" ? "/talk" : `/a/${agent}`;
  return (
    <div class={styles.bar}>
      <h1 class={styles.name}>
        {row && <Jack agent={row} size={18} />}
        <span>{agent}</span>
      </h1>
      {row && (
        <span class={styles.state}>
          <StateWord state={row.state} />
        </span>
      )}
      <nav class={styles.tabs} aria-label={t("talk.tabs")}>
        <a href={talk} aria-current={isPapers ? undefined : "page"}>
          {t("nav.talk")}
        </a>
        <a href={`/a/${agent}/papers`} aria-current={isPapers ? "page" : undefined}>
          {t("nav.papers")}
        </a>
      </nav>
    </div>
  );
}
