import type { AgentRow } from "../state/team-state.ts";
import { Table } from "../ui/table.tsx";
import { money, number, t } from "../words/words.ts";
import type { DayCosts } from "./costs-by-day.ts";

/** The same figures in words, the newest day first; also of agents that have left the team. */
export function DayTable({
  days,
  agents,
}: {
  readonly days: readonly DayCosts[];
  readonly agents: readonly AgentRow[];
}) {
  const known = agents.map(({ id }) => id);
  const left = days.flatMap(({ byAgent }) => [...byAgent.keys()]);
  const names = [...new Set([...known, ...left])];
  return (
    <Table
      caption={t("spend.byDay")}
      rows={days.toReversed()}
      keyOf={({ day }) => day}
      columns={[
        { key: "day", title: t("spend.day"), isName: true, isShort: true, cell: ({ day }) => day },
        { key: "usd", title: t("spend.sum"), isNumber: true, cell: ({ usd }) => money(usd) },
        {
          key: "tokens",
          title: t("spend.tokens"),
          isNumber: true,
          cell: ({ tokens }) => number(tokens),
        },
        { key: "turns", title: t("spend.turns"), isNumber: true, cell: (row) => number(row.turns) },
        ...names.map((id) => ({
          key: `agent ${id}`,
          title: id,
          isLongTitle: true,
          isNumber: true,
          cell: ({ byAgent }: DayCosts) => money(byAgent.get(id) ?? 0),
        })),
      ]}
    />
  );
}
