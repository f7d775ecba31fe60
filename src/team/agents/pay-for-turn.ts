import type { Bus } from "../../bus/bus.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import type { Spending } from "../record/spending.ts";
import { accounts } from "../record/spending.ts";
import type { TaskBook } from "../tasks/task-book.ts";
import { tokensOf } from "./session-event-to-timeline.ts";
import type { TurnToSettle } from "./react-to-session-event.ts";
import { contextOf } from "./thread-and-task-of-turn.ts";

interface PayOptions {
  readonly agent: AgentId;
  readonly bus: Pick<Bus, "get">;
  readonly tasks: TaskBook;
  readonly spending: Pick<Spending, "add">;
}

/** Charges a turn to the team, to its agent, and to its task with all tasks that this one is a part of. */
export async function payForTurn(
  { done, logId, about }: TurnToSettle,
  { agent, bus, tasks, spending }: PayOptions,
): Promise<void> {
  const context = await contextOf(agent, about, bus, tasks);
  const lineage = await tasks.lineage(context?.taskId ?? null);
  const payers = [
    accounts.team,
    accounts.agent(agent),
    ...lineage.map(({ id }) => accounts.task(id)),
  ];
  await spending.add(`${logId}/${done.turn_id}`, payers, {
    usd: done.cost_usd,
    tokens: tokensOf(done),
    turns: 1,
  });
}
