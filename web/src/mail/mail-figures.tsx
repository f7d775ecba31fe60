import { lazy } from "preact-iso";
import { useState } from "preact/hooks";
import type { TeamParamsInput } from "agent-switchboard/wire";
import { useAsk } from "../state/use-ask.ts";
import { Table } from "../ui/table.tsx";
import { When } from "../ui/when.tsx";
import { Failure } from "../ui/view.tsx";
import { number, t } from "../words/words.ts";
import styles from "./mail.module.css";

// The library that draws comes with the first chart.
const MailCharts = lazy(() => import("./mail-charts.tsx"));

/** How many messages there were over time, how many failed, and how long they took: charts, and the same as a table. */
export function MailFigures({ params }: { readonly params: TeamParamsInput<"log_stats"> }) {
  const { answer, failure } = useAsk("log_stats", params);
  const [isTable, setTable] = useState(false);
  const buckets = answer?.buckets ?? [];
  if (buckets.length === 0) return <Failure>{failure}</Failure>;
  return (
    <section class={styles.figures} aria-label={t("mail.figures")}>
      <MailCharts buckets={buckets} until={answer?.until ?? ""} bucketMs={answer?.bucket_ms ?? 0} />
      {answer?.next !== undefined && <p class={styles.count}>{t("mail.figuresCut")}</p>}
      <details
        open={isTable}
        onToggle={({ currentTarget }) => setTable(currentTarget.open)}
        class={styles.asTable}
      >
        <summary>{t("mail.asTable")}</summary>
        {isTable && (
          <Table
            caption={t("mail.figures")}
            rows={buckets}
            keyOf={({ at }) => at}
            columns={[
              {
                key: "at",
                title: t("mail.time"),
                isName: true,
                cell: ({ at }) => <When at={at} />,
              },
              {
                key: "count",
                title: t("mail.count"),
                isNumber: true,
                cell: ({ count }) => number(count),
              },
              {
                key: "failures",
                title: t("mail.failures"),
                isNumber: true,
                cell: ({ failures }) => number(failures),
              },
              {
                key: "p50",
                title: t("mail.p50"),
                isNumber: true,
                cell: ({ p50_ms }) => msOf(p50_ms),
              },
              {
                key: "p95",
                title: t("mail.p95"),
                isNumber: true,
                cell: ({ p95_ms }) => msOf(p95_ms),
              },
            ]}
          />
        )}
      </details>
    </section>
  );
}

const msOf = (ms: number | null): string => (ms === null ? "–" : `${number(Math.round(ms))} ms`);
