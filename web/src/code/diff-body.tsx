import type { TargetedEvent, VNode } from "preact";
import { useState } from "preact/hooks";
import { Key } from "../ui/key.tsx";
import { t } from "../words/words.ts";
import type { DiffRow } from "./diff-rows.ts";
import styles from "./diff-view.module.css";
import { Same } from "./same.tsx";
import { useScrollable } from "./scrollable.ts";
import { VisibleText } from "../characters/visible-text.tsx";

const MAX_WHOLE = 400;
const MAX_UNFOLDED = 5_000;
const ROW_PX = 20;
const AROUND = 40;
/** Where the page begins again: so that scrolling draws only now and then. */
const STEP = 20;
const SEEN = 60;
const MAX_LINE = 10_000;

/** The rows of a change: all of them up to 400, else those that are seen; of more than 5,000 only when it is asked for. */
export function DiffBody({
  rows,
  isFlat = false,
}: {
  readonly rows: readonly DiffRow[];
  /** It is a part of what scrolls around it: all of its lines are wrapped, and it has no scroll area of its own. */
  readonly isFlat?: boolean;
}): VNode {
  const [isUnfolded, setUnfolded] = useState(false);
  const isFolded = rows.length > MAX_UNFOLDED && !isUnfolded;
  const shown = isFolded ? rows.slice(0, MAX_WHOLE) : rows;
  return (
    <>
      {isFlat && <div class={`${styles["rows"]} ${styles["flat"]}`}>{shown.map(rowOf)}</div>}
      {!isFlat &&
        (shown.length <= MAX_WHOLE ? <WholeRows rows={shown} /> : <SeenRows rows={shown} />)}
      {isFolded && (
        <p class={styles["more"]}>
          <Key onClick={() => setUnfolded(true)}>{t("diff.allLines", { n: rows.length })}</Key>
        </p>
      )}
    </>
  );
}

function WholeRows({ rows }: { readonly rows: readonly DiffRow[] }): VNode {
  const scroll = useScrollable<HTMLDivElement>(t("diff.change"));
  return (
    <div class={styles["rows"]} {...scroll}>
      <div>{rows.map(rowOf)}</div>
    </div>
  );
}

/** Rows of one height, of which those near the place that is seen are drawn. */
function SeenRows({ rows }: { readonly rows: readonly DiffRow[] }): VNode {
  const [top, setTop] = useState(0);
  const scroll = useScrollable<HTMLDivElement>(t("diff.change"));
  const look = (event: TargetedEvent<HTMLDivElement>): void => {
    setTop(Math.floor(event.currentTarget.scrollTop / ROW_PX / STEP) * STEP);
  };
  const from = Math.max(0, top - AROUND);
  const to = Math.min(rows.length, top + SEEN + AROUND);
  return (
    <div class={`${styles["rows"]} ${styles["windowed"]}`} onScroll={look} {...scroll}>
      <div
        style={{
          paddingTop: `${from * ROW_PX}px`,
          paddingBottom: `${(rows.length - to) * ROW_PX}px`,
        }}
      >
        {rows.slice(from, to).map((row, index) => rowOf(row, from + index))}
      </div>
    </div>
  );
}

const rowOf = (row: DiffRow, index: number): VNode => (
  <Same key={index} value={row} draw={rowView} />
);

const signs = { same: " ", add: "+", del: "\u{2212}", note: "", gap: "" } as const;

function rowView(row: DiffRow): VNode {
  if (row.is === "gap") return <div class={styles["gap"]}>⋯</div>;
  return (
    <div class={`${styles["row"]} ${styles[row.is]}`}>
      <span class={styles["number"]}>{"old" in row ? row.old : ""}</span>
      <span class={styles["number"]}>{"new" in row ? row.new : ""}</span>
      <span class={styles["sign"]}>{signs[row.is]}</span>
      <span class={styles["line"]}>
        <VisibleText text={row.text.slice(0, MAX_LINE)} />
        {row.text.length > MAX_LINE && (
          <em>{t("diff.longLine", { n: row.text.length - MAX_LINE })}</em>
        )}
      </span>
    </div>
  );
}
