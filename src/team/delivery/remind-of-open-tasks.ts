import type { SessionClient } from "../../client/index.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import { SWITCHBOARD } from "../../wire/team/reserved-senders.ts";
import type { TaskBook } from "../tasks/task-book.ts";

/** Reminds an agent of its open tasks after its conversation was compacted. */
export async function remindOfTasks(
  session: Pick<SessionClient, "send">,
  tasks: Pick<TaskBook, "openOf">,
  agent: AgentId,
): Promise<void> {
  const open = tasks.openOf(agent).filter(({ state }) => state !== "submitted");
  if (open.length === 0) return;
  const lines = open.map(
    ({ id, from_agent, title, state }) => `- ${id} from ${from_agent} (${state}): ${title}`,
  );
  const head = "Your conversation was shortened. You still have these open tasks:";
  await session.send([head, ...lines].join("\n"), { from: SWITCHBOARD, quiet: true });
}
