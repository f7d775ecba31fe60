import type { AgentId } from "../../wire/team/messages.ts";
import type { Budget } from "../file/team-schema.ts";
import type { Team } from "../file/team.ts";
import type { Spending } from "../record/spending.ts";
import { purses } from "../record/spending.ts";
import type { TaskBook } from "../tasks/task-book.ts";
import { checkBudget } from "./budget.ts";
import type { Refusal } from "./refusal.ts";

/** Who would have to pay. */
export interface Payers {
  readonly agents: readonly AgentId[];
  /** The task in whose course it is spent; all that it is a part of pays too. */
  readonly task: string | undefined;
}

interface Books {
  readonly team: Team;
  readonly spending: Spending;
  readonly tasks: TaskBook;
}

/** Is there something left in every purse that a turn would be paid from? The first empty one refuses. */
export async function checkBudgets(
  { team, spending, tasks }: Books,
  { agents, task }: Payers,
): Promise<Refusal> {
  const purse = async (whose: string, key: string, budget: Budget): Promise<Refusal> =>
    Object.keys(budget).length === 0
      ? undefined
      : checkBudget(whose, budget, await spending.of(key));
  let refusal = await purse("The team", purses.team, team.budget.team);
  for (const id of agents) {
    refusal ??= await purse(id, purses.agent(id), team.agents.get(id)?.budget ?? {});
  }
  if (refusal || Object.keys(team.budget.task).length === 0) return refusal;
  for (const { id, title } of await tasks.lineage(task ?? null)) {
    const spent = await purse(`The task "${title}"`, purses.task(id), team.budget.task);
    if (spent) return spent;
  }
  return undefined;
}
