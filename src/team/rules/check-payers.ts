import type { AgentId } from "../../wire/team/messages.ts";
import type { Budget } from "../file/team-schema.ts";
import type { Team } from "../file/team.ts";
import type { Spending } from "../record/spending.ts";
import { accounts } from "../record/spending.ts";
import type { TaskBook } from "../tasks/task-book.ts";
import { checkBudget } from "./check-budget.ts";
import type { Refusal } from "./refusal.ts";

/** The agents that would pay. */
export interface Payers {
  readonly agents: readonly AgentId[];
  /** The task that the turn is for. The tasks that it is a part of pay too. */
  readonly task: string | undefined;
}

interface Ledgers {
  readonly team: Team;
  readonly spending: Spending;
  readonly tasks: TaskBook;
}

/** Checks every account that would pay for a turn. The first empty one refuses. */
export async function checkBudgets(
  { team, spending, tasks }: Ledgers,
  { agents, task }: Payers,
): Promise<Refusal> {
  const checkAccount = async (whose: string, key: string, budget: Budget): Promise<Refusal> =>
    Object.keys(budget).length === 0
      ? undefined
      : checkBudget(whose, budget, await spending.of(key));
  let refusal = await checkAccount("The team", accounts.team, team.budget.team);
  for (const id of agents) {
    refusal ??= await checkAccount(id, accounts.agent(id), team.agents.get(id)?.budget ?? {});
  }
  if (refusal || Object.keys(team.budget.task).length === 0) return refusal;
  for (const { id, title } of await tasks.lineage(task ?? null)) {
    const spent = await checkAccount(`The task "${title}"`, accounts.task(id), team.budget.task);
    if (spent) return spent;
  }
  return undefined;
}
