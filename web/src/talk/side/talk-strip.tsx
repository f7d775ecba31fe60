import { VisibleText } from "../../characters/visible-text.tsx";
import { useComputed } from "@preact/signals";
import { useScrollable } from "../../code/scrollable.ts";
import { Key } from "../../ui/key.tsx";
import { money, number, t } from "../../words/words.ts";
import { useTalk } from "../talk-context.ts";
import { ExportMenu } from "./export-menu.tsx";
import { Pickers } from "./pickers.tsx";
import { WorkInHand } from "./work-in-hand.tsx";
import styles from "./talk-strip.module.css";

/** How the session is set, what it has used, and what it has in hand. */
export function TalkStrip({
  onFind,
  isFinding,
}: {
  readonly onFind: () => void;
  readonly isFinding: boolean;
}) {
  const { state } = useTalk();
  return (
    <div class={styles.strip}>
      {state.agent === undefined && <SessionName />}
      <Facts />
      <WorkInHand />
      <span class={styles.keys}>
        <Key onClick={onFind} isPressed={isFinding}>
          {t("find.label")}
        </Key>
        <ExportMenu />
      </span>
    </div>
  );
}

/** On a telephone they are one row that can be moved aside. */
function Facts() {
  const scrollable = useScrollable<HTMLDivElement>(t("talk.settings"));
  return (
    <div class={styles.facts} {...scrollable}>
      <Pickers />
      <ContextBar />
      <Cost />
    </div>
  );
}

function SessionName() {
  const { state } = useTalk();
  return (
    <h1 class={styles.title}>
      <VisibleText text={state.conversation.value.title ?? t("talk.conversation")} />
    </h1>
  );
}

function ContextBar() {
  const { state } = useTalk();
  const context = useComputed(() => state.conversation.value.context).value;
  if (!context) return null;
  const { tokens, window } = context;
  const share = window === 0 ? 0 : Math.min(1, tokens / window);
  return (
    <span class={styles.fact} title={t("talk.contextOf", { used: tokens, window })}>
      <span class={styles.label}>{t("talk.context")}</span>
      <meter
        class={styles.meter}
        min={0}
        max={1}
        value={share}
        aria-label={`${t("talk.context")}: ${t("talk.contextOf", { used: tokens, window })}`}
      />
      <span>{number(Math.round(share * 100))} %</span>
    </span>
  );
}

function Cost() {
  const { state } = useTalk();
  const cost = useComputed(() => {
    const { team, agent } = state;
    // The log of an agent that sleeps is read in parts: the team knows the sum.
    const row = team?.agents.value.find(({ id }) => id === agent);
    return row?.status.cost_usd ?? state.conversation.value.costUsd;
  }).value;
  return (
    <span class={styles.fact}>
      <span>{money(cost)}</span>
    </span>
  );
}
