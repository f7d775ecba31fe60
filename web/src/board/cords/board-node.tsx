import { VisibleText } from "../../characters/visible-text.tsx";
import type { AgentRow } from "../../state/team-state.ts";
import { Jack } from "../../ui/jack.tsx";
import { StateWord } from "../../ui/state-word.tsx";
import { t } from "../../words/words.ts";
import { doingOf } from "../doing.ts";
import type { BoardLayout, BoardNode } from "./layout.ts";
import styles from "./board-node.module.css";

interface Place {
  readonly node: BoardNode;
  readonly cell: BoardLayout["cell"];
  readonly labels: BoardLayout["labels"];
}

const JACK = 40;

/** An agent: its jack, the lamp above it, and the label with what it does now. */
export function AgentNode({
  row,
  isWanted,
  ...place
}: Place & { readonly row: AgentRow; readonly isWanted: boolean }) {
  const doing = doingOf(row.view);
  return (
    <a class={styles.node} href={`/a/${row.id}`} {...boxOf(place)}>
      <span class={styles.lamp} data-lit={isWanted}>
        {isWanted && <span class="unseen">{t("board.wanted")}</span>}
      </span>
      <Jack agent={row} size={JACK} />
      <span class={styles.label}>
        <span class={styles.name}>{row.id}</span>
        <span class={styles.state}>
          {row.status.lead && <span>{t("board.lead")} · </span>}
          <StateWord state={row.state} />
        </span>
        {doing !== "" && (
          <span class={styles.doing}>
            <VisibleText text={doing} />
          </span>
        )}
      </span>
    </a>
  );
}

/** The person: a jack of brass. */
export function PersonNode(place: Place) {
  return (
    <a class={styles.node} href="/talk" {...boxOf(place)}>
      <span class={styles.lamp} />
      <Jack agent={{ cord: 0, isStriped: false, state: "ready" }} size={JACK} />
      <span class={styles.label}>
        <span class={styles.name}>{t("board.you")}</span>
      </span>
    </a>
  );
}

/** The jack's middle is the node's place; the label stands around it. */
function boxOf({ node, cell, labels }: Place) {
  const isBelow = labels === "below";
  return {
    "data-labels": labels,
    style: {
      left: `${isBelow ? node.x - cell.width / 2 : node.x - JACK / 2}px`,
      top: `${node.y - JACK / 2 - 16}px`,
      width: `${isBelow ? cell.width : cell.width - 16}px`,
    },
  };
}
