import type { Bus } from "../../bus/bus.ts";
import { pagesOf } from "../../bus/pages.ts";
import type { CCMessage } from "../../wire/team.ts";
import type { Wait } from "../rules/waits.ts";

/** Questions that were returned by a call, and still lie in their inbox. */
export const RETURNED = "returned";

/**
 * What the awaited agent has asked the waiter under the same root, and the waiter has not got yet, oldest
 * first. It ends a wait as soon as that begins: the one who asks may be waiting for the answer itself.
 *
 * @param hasGot the waiter's conversation has it. It may lie in the inbox all the same, after a crash.
 */
export async function pendingQuestions(
  bus: Pick<Bus, "history" | "records">,
  { waiter, awaited, root_id: rootId }: Wait,
  hasGot: (id: string) => boolean,
): Promise<CCMessage[]> {
  const asked = { from: awaited, to: waiter, rootId, type: "task_request" } as const;
  const oldest = { ...asked, order: "oldest" } as const;
  const questions: CCMessage[] = [];
  for await (const page of pagesOf((from) => bus.history({ ...oldest, ...from }))) {
    for (const { message, state } of page) {
      if (state !== "waiting" || hasGot(message.id)) continue;
      if ((await bus.records.get(RETURNED, message.id)) === undefined) questions.push(message);
    }
  }
  return questions;
}
