import type { TeamDescription } from "agent-switchboard/wire";
import { VisibleText } from "../characters/visible-text.tsx";
import type { AgentRow } from "../state/team-state.ts";
import { Facts } from "../ui/view.tsx";
import { When } from "../ui/when.tsx";
import { money, number, t } from "../words/words.ts";

type Budget = TeamDescription["agents"][number]["budget"];

/** What the agent works with and what it has used, as the team says now. */
export function NowFacts({
  row,
  budget = {},
}: {
  readonly row: AgentRow;
  readonly budget?: Budget | undefined;
}) {
  const { status, view } = row;
  const { context, since, mode, effort, model } = status;
  const host = view?.host ?? status.host;
  return (
    <Facts
      pairs={[
        [t("talk.modelPick"), model],
        [t("talk.mode"), mode && t(`mode.${mode}`)],
        [
          t("talk.effort"),
          effort === null ? t("talk.effortOwn") : effort !== undefined && t(`effort.${effort}`),
        ],
        [t("papers.since"), since !== undefined && <When at={since} />],
        [t("papers.why"), view?.reason !== undefined && <VisibleText text={view.reason} />],
        [t("papers.host"), host !== undefined && <VisibleText text={host} />],
        [t("papers.restarts"), status.restarts !== undefined && number(status.restarts)],
        [t("papers.inbox"), number(status.inbox)],
        [
          t("papers.context"),
          context &&
            t("spend.of", { spent: number(context.tokens), limit: number(context.window) }),
        ],
        [t("spend.usd"), amount(status.cost_usd, budget.usd, money)],
        [t("spend.tokens"), amount(status.tokens ?? 0, budget.tokens, number)],
        [t("spend.turns"), amount(status.turns, budget.turns, number)],
        [t("papers.pid"), status.pid !== undefined && String(status.pid)],
      ]}
    />
  );
}

const amount = (
  spent: number,
  limit: number | undefined,
  write: (value: number) => string,
): string =>
  limit === undefined ? write(spent) : t("spend.of", { spent: write(spent), limit: write(limit) });
