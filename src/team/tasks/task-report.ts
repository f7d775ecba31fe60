import type { Bus } from "../../bus/bus.ts";
import { errorOf } from "../../wire/errors.ts";
import type { CCMessage } from "../../wire/team/messages.ts";
import type { TaskReport } from "../../wire/team/read-results.ts";
import type { Task } from "../../wire/team/task.ts";
import { shortenForPeople } from "../messages/shorten-for-people.ts";
import type { Spending } from "../record/spending.ts";
import { accounts } from "../record/spending.ts";
import type { TaskBook } from "./task-book.ts";

/** More than an exchange has by default, several times over. */
const MAX_MESSAGES = 1000;
const MAX_ANSWERS = 100;

export interface TaskReportSources {
  readonly bus: Pick<Bus, "get" | "history">;
  readonly tasks: TaskBook;
  readonly spending: Spending;
}

/** A task with those around it, its messages, and what it has cost. @throws `unknown_request` */
export async function reportTask(
  { bus, tasks, spending }: TaskReportSources,
  id: string,
): Promise<TaskReport> {
  const [task, ...parents] = await tasks.lineage(id);
  if (!task) {
    throw errorOf("unknown_request", `There is no task ${id}.`, {
      hint: "'switchboard tasks --all' lists the tasks of the team.",
    });
  }
  const others = await tasksOfExchange(bus, tasks, task.root_id);
  return {
    task,
    parents,
    children: others.filter(({ parent }) => parent === id),
    dependencies: await found(task.depends_on, tasks),
    dependents: others.filter(({ depends_on }) => depends_on.includes(id)),
    messages: (await messagesOf(bus, id)).map(shortenForPeople),
    spent: await spending.of(accounts.task(id)),
  };
}

/** Oldest first. A part of a task belongs to the same exchange. */
async function tasksOfExchange(
  bus: Pick<Bus, "history">,
  tasks: TaskBook,
  rootId: string,
): Promise<Task[]> {
  const { items } = await bus.history({ rootId, order: "oldest", limit: MAX_MESSAGES });
  return found(
    items.map(({ message }) => message.id),
    tasks,
  );
}

async function found(ids: readonly string[], tasks: TaskBook): Promise<Task[]> {
  const all = await Promise.all(ids.map((id) => tasks.find(id)));
  return all.filter((task) => task !== undefined);
}

/** The request, and what answers it. */
async function messagesOf(bus: Pick<Bus, "get" | "history">, id: string): Promise<CCMessage[]> {
  const request = await bus.get(id);
  const answers = await bus.history({ replyTo: id, order: "oldest", limit: MAX_ANSWERS });
  return [...(request ? [request] : []), ...answers.items].map(({ message }) => message);
}
