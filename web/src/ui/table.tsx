import type { ComponentChildren } from "preact";
import { Fragment } from "preact";
import styles from "./table.module.css";

export interface Column<Row> {
  readonly key: string;
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Numbers stand at the right. */
  readonly isNumber?: boolean;
  /** It is never broken into two lines. */
  readonly isShort?: boolean;
  /** The cell names its row for those who listen. */
  readonly isName?: boolean;
  /** A long title may be broken behind an underscore. */
  readonly isLongTitle?: boolean;
  /** On a narrow page this column is left out. */
  readonly isMinor?: boolean;
}

export interface Sorting {
  readonly key: string;
  readonly isDescending: boolean;
}

interface TableProps<Row> {
  /** What the table is, for those who listen. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly sorting?: Sorting;
  /** The keys of columns by which the rows can be sorted come with it. */
  readonly onSort?: (key: string) => void;
}

/** Rows with a head; a wide one scrolls in its own box. */
export function Table<Row>(props: TableProps<Row>) {
  const { caption, columns, rows, keyOf, sorting, onSort } = props;
  return (
    <div class={styles.box} role="group" aria-label={caption} tabindex={0}>
      <table class={styles.table}>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ key, title, isNumber, isMinor, isLongTitle = false }) => (
              <th
                key={key}
                scope="col"
                data-number={isNumber}
                data-minor={isMinor}
                aria-sort={
                  sorting?.key !== key
                    ? undefined
                    : sorting.isDescending
                      ? "descending"
                      : "ascending"
                }
              >
                {onSort ? (
                  <button type="button" onClick={() => onSort(key)}>
                    {title}
                    <span aria-hidden="true">
                      {sorting?.key !== key ? "" : sorting.isDescending ? " ▾" : " ▴"}
                    </span>
                  </button>
                ) : isLongTitle ? (
                  <Breakable text={title} />
                ) : (
                  title
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ key, cell, isNumber, isName, isMinor, isShort }) =>
                isName === true ? (
                  <th
                    key={key}
                    scope="row"
                    data-number={isNumber}
                    data-minor={isMinor}
                    data-short={isShort}
                  >
                    {cell(row)}
                  </th>
                ) : (
                  <td key={key} data-number={isNumber} data-minor={isMinor} data-short={isShort}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const Breakable = ({ text }: { readonly text: string }) => (
  <span class={styles.breakable}>
    {text.split(/(?<=_)/).map((part, index) => (
      <Fragment key={index}>
        {index > 0 && <wbr />}
        {part}
      </Fragment>
    ))}
  </span>
);
