import type { Budgets as BudgetList } from "agent-switchboard/wire";
import { VisibleText } from "../characters/visible-text.tsx";
import { useAsk } from "../state/use-ask.ts";
import { Table } from "../ui/table.tsx";
import { Failure } from "../ui/view.tsx";
import { money, number, t } from "../words/words.ts";
import styles from "./spend.module.css";

type Budget = BudgetList["budgets"][number];

/** The accounts of the team, with a bar for each amount that has a limit. */
export function Budgets() {
  const { answer, failure } = useAsk("budgets", {}, ["turn_ended", "task_changed"]);
  if (answer === undefined) return <Failure>{failure}</Failure>;
  return (
    <Table
      caption={t("spend.budgets")}
      rows={answer.budgets}
      keyOf={({ account, id }) => `${account} ${id ?? ""}`}
      columns={[
        { key: "account", title: t("spend.account"), isName: true, cell: nameOfAccount },
        {
          key: "usd",
          title: t("spend.usd"),
          isNumber: true,
          cell: ({ spent, limit }) => <Bar spent={spent.usd} limit={limit.usd} write={money} />,
        },
        {
          key: "tokens",
          title: t("spend.tokens"),
          isNumber: true,
          cell: ({ spent, limit }) => (
            <Bar spent={spent.tokens} limit={limit.tokens} write={number} />
          ),
        },
        {
          key: "turns",
          title: t("spend.turns"),
          isNumber: true,
          cell: ({ spent, limit }) => (
            <Bar spent={spent.turns} limit={limit.turns} write={number} />
          ),
        },
      ]}
    />
  );
}

function nameOfAccount({ account, id = "", title }: Budget) {
  if (account === "team") return t("spend.team");
  if (account === "agent") return <a href={`/a/${id}`}>{id}</a>;
  return (
    <a href={`/tasks/${id}`}>
      {t("spend.task")}: <VisibleText text={title ?? id.slice(0, 8)} />
    </a>
  );
}

function Bar({
  spent,
  limit,
  write,
}: {
  readonly spent: number;
  readonly limit: number | undefined;
  readonly write: (amount: number) => string;
}) {
  if (limit === undefined) return <>{write(spent)}</>;
  const isOver = spent >= limit;
  return (
    <span class={styles.amount}>
      <span>
        {t("spend.of", { spent: write(spent), limit: write(limit) })}
        {isOver && ` · ${t("spend.over")}`}
      </span>
      <meter min={0} max={limit} value={Math.min(spent, limit)} data-over={isOver}>
        {Math.round((100 * spent) / limit)} %
      </meter>
    </span>
  );
}
