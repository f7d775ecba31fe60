import type { TableRow } from "mdast";
import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { useScrollable } from "../code/scrollable.ts";
import { Key } from "../ui/key.tsx";
import { t } from "../words/words.ts";
import { GROUP_PARTS } from "./limits.ts";
import { inlines } from "./inlines.tsx";
import type { Groups, RowsBlock } from "./blocks.ts";
import { groupsView } from "./groups-view.tsx";
import styles from "./markdown.module.css";

/** Above this number of rows the columns share the width evenly: else each new row would measure all others again. */
const MAX_MEASURED_ROWS = 100;
const MAX_ROWS = 1_000;
const MAX_CELLS = 10_000;

type Align = RowsBlock["align"];

export function TableView({ table }: { readonly table: RowsBlock }): VNode {
  const [isWhole, setWhole] = useState(false);
  const scroll = useScrollable<HTMLDivElement>(t("markdown.table"));
  const { head, align, rows } = table;
  // All its rows are drawn by one function, so that rows that were drawn are known again.
  const drawRow = useMemo(() => rowWith(align), [align]);
  const count = rows.full.length * GROUP_PARTS + rows.last.length;
  const most = Math.min(MAX_ROWS, Math.ceil(MAX_CELLS / Math.max(1, head.children.length)));
  const isCut = !isWhole && count > most;
  const shown = isCut ? firstGroups(rows, Math.ceil(most / GROUP_PARTS)) : rows;
  const fixed = count > MAX_MEASURED_ROWS ? styles["fixed"] : undefined;
  return (
    <>
      <div class={styles["table"]} {...scroll}>
        <table class={fixed}>
          <thead>
            <tr>
              {head.children.map((cell, index) => (
                <th key={index} scope="col" class={alignment(align, index)}>
                  {inlines(cell.children)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{groupsView(shown, isCut ? undefined : table.open, drawRow)}</tbody>
        </table>
      </div>
      {isCut && (
        <p class={styles["more"]}>
          <Key onClick={() => setWhole(true)}>{t("markdown.allRows", { n: count })}</Key>
        </p>
      )}
    </>
  );
}

const rowWith =
  (align: Align) =>
  (row: TableRow): VNode => (
    <tr>
      {row.children.map((cell, index) => (
        <td key={index} class={alignment(align, index)}>
          {inlines(cell.children)}
        </td>
      ))}
    </tr>
  );

function alignment(align: Align, column: number): string | undefined {
  const side = align[column];
  return side === null || side === undefined ? undefined : styles[side];
}

const firstGroups = <Part,>(rows: Groups<Part>, count: number): Groups<Part> => ({
  full: rows.full.slice(0, count),
  last: [],
});
