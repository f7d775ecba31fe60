import { useTeam } from "../state/page-state.ts";
import { Empty } from "../ui/empty.tsx";
import { Failure, Part, View } from "../ui/view.tsx";
import { number, t } from "../words/words.ts";
import { Budgets } from "./budgets.tsx";
import { costsByDay } from "./costs-by-day.ts";
import { DayTable } from "./day-table.tsx";
import { DayBars } from "./day-bars.tsx";
import { MOST_TURNS, useTurns } from "./use-turns.ts";

/** What was spent, of what may be spent, by whom and when. */
export default function SpendView() {
  const team = useTeam();
  const { turns, isReading, failure } = useTurns();
  const agents = team.agents.value;
  if (turns.length === 0 && !isReading && failure === undefined) {
    return (
      <Empty title={t("spend.none")} command={'switchboard send "…"'}>
        {t("spend.noneBody")}
      </Empty>
    );
  }
  const days = costsByDay(turns);
  return (
    <View title={t("spend.title")}>
      <Failure>{failure}</Failure>
      <Part title={t("spend.budgets")}>
        {team.status.value?.rehearsal === true && <p>{t("spend.rehearsed")}</p>}
        <Budgets />
      </Part>
      <Part title={t("spend.byDay")}>
        {isReading && <p role="status">{t("spend.reading", { n: turns.length })}</p>}
        {turns.length >= MOST_TURNS && <p>{t("spend.capped", { n: number(turns.length) })}</p>}
        <DayBars days={days} agents={agents} />
        <DayTable days={days} agents={agents} />
      </Part>
    </View>
  );
}
