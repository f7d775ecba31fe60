import { VisibleText } from "../characters/visible-text.tsx";
import { useAsk } from "../state/use-ask.ts";
import { nameOf } from "../ui/name-of.ts";
import { Table } from "../ui/table.tsx";
import { Failure, Part } from "../ui/view.tsx";
import { When } from "../ui/when.tsx";
import { number, t, wordsOfError } from "../words/words.ts";
import { countRefusals } from "./refusal-counts.ts";
import styles from "./lost.module.css";

/** Messages that a rule did not let through. Their senders were told. */
export function Refusals() {
  const { answer, failure } = useAsk("timeline", { types: ["refused"], limit: 1000 }, ["refused"]);
  const events = (answer?.events ?? []).filter((event) => event.type === "refused");
  return (
    <Part title={t("lost.refusals")}>
      <Failure>{failure}</Failure>
      {answer !== undefined && events.length === 0 && <p>{t("lost.noRefusals")}</p>}
      {events.length > 0 && (
        <Table
          caption={t("lost.refusals")}
          rows={countRefusals(events)}
          keyOf={({ key }) => key}
          columns={[
            {
              key: "rule",
              title: t("lost.rule"),
              isName: true,
              cell: ({ code }) => <code>{code}</code>,
            },
            {
              key: "pair",
              title: t("lost.pair"),
              cell: ({ from, to }) => <VisibleText text={`${nameOf(from)} → ${nameOf(to)}`} />,
            },
            {
              key: "count",
              title: t("lost.count"),
              isNumber: true,
              cell: ({ count }) => number(count),
            },
            {
              key: "last",
              title: t("lost.last"),
              isShort: true,
              cell: ({ lastAt, lastSeq }) => (
                <a href={`/board?at=${lastSeq}`}>
                  <When at={lastAt} />
                </a>
              ),
            },
            {
              key: "why",
              title: t("lost.why"),
              isMinor: true,
              cell: ({ code, message, hint }) => (
                <>
                  {wordsOfError(code)} <VisibleText text={message} />
                  <span class={styles.hint}>
                    <VisibleText text={hint} />
                  </span>
                </>
              ),
            },
          ]}
        />
      )}
    </Part>
  );
}
