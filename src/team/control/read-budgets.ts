import type { Budgets } from "../../wire/team/read-results.ts";
import { accounts } from "../record/spending.ts";
import type { ReadSource } from "./read-source.ts";

/** How many open tasks are reported with their accounts: the newest ones. */
const MAX_TASKS = 500;

/** What the team, its agents and its open tasks may spend, and what they have spent. */
export async function readBudgets({ teamRecords, description }: ReadSource): Promise<Budgets> {
  const { spending, tasks } = teamRecords;
  const { budget, agents } = await description();
  const open = tasks.open().slice(-MAX_TASKS);
  return {
    budgets: [
      { account: "team", limit: budget.team, spent: await spending.of(accounts.team) },
      ...(await Promise.all(
        agents.map(async ({ id, budget: limit }) => ({
          account: "agent" as const,
          id,
          limit,
          spent: await spending.of(accounts.agent(id)),
        })),
      )),
      ...(await Promise.all(
        open.map(async ({ id, title }) => ({
          account: "task" as const,
          id,
          title,
          limit: budget.task,
          spent: await spending.of(accounts.task(id)),
        })),
      )),
    ],
  };
}
