import { nameOf } from "../ui/name-of.ts";
import { useState } from "preact/hooks";
import type { CommunicationEntry } from "agent-switchboard/team/core";
import { VisibleText } from "../characters/visible-text.tsx";
import { Key } from "../ui/key.tsx";
import { Table } from "../ui/table.tsx";
import { When } from "../ui/when.tsx";
import { lengthOfTime, number, t } from "../words/words.ts";
import { newestFirst, nextSorting, sortEntries } from "./sort-entries.ts";
import styles from "./mail.module.css";

const PAGE = 100;

/** The lines that were read, in the order of any column, page by page. */
export function MailTable({ entries }: { readonly entries: readonly CommunicationEntry[] }) {
  const [sorting, setSorting] = useState(newestFirst);
  const [page, setPage] = useState(0);
  const pages = Math.max(1, Math.ceil(entries.length / PAGE));
  const shown = Math.min(page, pages - 1);
  const rows = sortEntries(entries, sorting).slice(shown * PAGE, (shown + 1) * PAGE);
  return (
    <>
      <Table
        caption={t("nav.mail")}
        rows={rows}
        keyOf={({ id }) => id}
        sorting={sorting}
        onSort={(key) => {
          setSorting(nextSorting(sorting, key));
          setPage(0);
        }}
        columns={[
          {
            key: "time",
            title: t("mail.time"),
            isName: true,
            isShort: true,
            cell: ({ message_id: id, timestamp }) =>
              id === undefined ? (
                <When at={timestamp} />
              ) : (
                <a href={`/mail/${id}`}>
                  <When at={timestamp} />
                </a>
              ),
          },
          {
            key: "from",
            title: t("board.from"),
            cell: ({ from_agent }) => nameOf(from_agent),
          },
          {
            key: "to",
            title: t("board.to"),
            cell: ({ to_agent }) => <VisibleText text={nameOf(to_agent)} />,
          },
          { key: "type", title: t("mail.type"), isMinor: true, cell: (row) => row.message_type },
          {
            key: "size",
            title: t("mail.bytes"),
            isNumber: true,
            isMinor: true,
            cell: ({ message_size }) => number(message_size),
          },
          {
            key: "took",
            title: t("board.took"),
            isNumber: true,
            cell: ({ duration_ms: took }) => (took === null ? "–" : tookOf(took)),
          },
          {
            key: "outcome",
            title: t("tasks.outcome"),
            cell: ({ success, error }) => (
              <span class={success ? styles.good : styles.bad}>
                {success ? `✓ ${t("mail.delivered")}` : <VisibleText text={`✕ ${error ?? ""}`} />}
              </span>
            ),
          },
        ]}
      />
      {pages > 1 && (
        <nav class={styles.pages} aria-label={t("mail.pages")}>
          <Key isDisabled={shown === 0} onClick={() => setPage(shown - 1)}>
            {t("mail.previous")}
          </Key>
          <span>{t("mail.page", { n: shown + 1, all: pages })}</span>
          <Key isDisabled={shown === pages - 1} onClick={() => setPage(shown + 1)}>
            {t("mail.next")}
          </Key>
        </nav>
      )}
    </>
  );
}

const tookOf = (ms: number): string =>
  ms < 1000 ? `${number(Math.round(ms))} ms` : lengthOfTime(ms);
