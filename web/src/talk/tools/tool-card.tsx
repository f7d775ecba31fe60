import { visibleString } from "../../characters/visible-characters.ts";
import { VisibleText } from "../../characters/visible-text.tsx";
import type { ToolItem } from "agent-switchboard/client/core";
import type { ComponentChildren } from "preact";
import { useComputed } from "@preact/signals";
import { useState } from "preact/hooks";
import { lengthOfTime, t } from "../../words/words.ts";
import { useIsFound, useTalk } from "../talk-context.ts";
import { Decision } from "./decision.tsx";
import { ToolBody } from "./tool-body.tsx";
import { kindOfTool, toolName, toolSummary } from "./tool-summary.ts";
import type { ToolState } from "./tool-state.ts";
import { toolSign, toolState } from "./tool-state.ts";
import styles from "./tool-card.module.css";

/** One call: what it is about, where it is, who allowed it, and what came of it. */
export function ToolCard({
  item,
  children,
}: {
  readonly item: ToolItem;
  /** What a sub-agent has done. */
  readonly children: ComponentChildren;
}) {
  const { state: talk } = useTalk();
  const isTurnOver = useComputed(() => {
    const { turns, openTurn } = talk.conversation.value;
    const { turnId } = item;
    if (turnId === undefined) return openTurn === undefined;
    return (
      turns.get(turnId)?.done !== undefined || (openTurn !== turnId && item.request === undefined)
    );
  }).value;
  const state = toolState(item, isTurnOver);
  const [chosen, setChosen] = useState<boolean>();
  const isFound = useIsFound(item);
  const isOpen = chosen ?? (isFound || opensByItself(item, state));
  const name = toolName(item.tool);
  return (
    <div class={styles.card} data-state={state} role="group" aria-label={visibleString(name)}>
      <button
        type="button"
        class={styles.head}
        aria-expanded={isOpen}
        onClick={() => setChosen(!isOpen)}
      >
        <span class={styles.name}>
          <VisibleText text={name} />
        </span>
        <span class={styles.summary}>
          <VisibleText text={toolSummary(item)} />
        </span>
        <Counts item={item} />
        <StateOf item={item} state={state} />
      </button>
      {item.decision && <Decision decision={item.decision} />}
      {isOpen && (
        <div class={styles.body}>
          <ToolBody item={item} state={state}>
            {children}
          </ToolBody>
        </div>
      )}
    </div>
  );
}

function opensByItself(item: ToolItem, state: ToolState): boolean {
  if (state === "waits" || state === "failed") return true;
  const kind = kindOfTool(item.tool);
  if (kind === "command") return state === "running" || state === "runsOn";
  return kind === "change" || kind === "todo" || (kind === "agent" && state === "running");
}

function Counts({ item }: { readonly item: ToolItem }) {
  const changes = item.changes ?? [];
  const added = changes.reduce((sum, each) => sum + (each.added ?? 0), 0);
  const removed = changes.reduce((sum, each) => sum + (each.removed ?? 0), 0);
  if (added + removed === 0) return null;
  return (
    <span class={styles.counts}>
      +{added} −{removed}
    </span>
  );
}

function StateOf({ item, state }: { readonly item: ToolItem; readonly state: ToolState }) {
  const elapsed = item.progress?.elapsed_ms;
  const words =
    state === "running" && elapsed !== undefined
      ? t("tool.runningFor", { time: lengthOfTime(elapsed) })
      : t(`tool.${state}`);
  return (
    <span class={styles.state}>
      <span aria-hidden="true">{toolSign(state)} </span>
      {words}
    </span>
  );
}
