import { randomUUID } from "node:crypto";
import type { AgentId } from "../../wire/team.ts";
import { compose } from "../messages/compose.ts";
import { SWITCHBOARD } from "../messages/user.ts";
import type { Router } from "./router.ts";

/**
 * Tells an agent what it should know and need not act on: so it starts no turn.
 *
 * @param id by which it is told once, whatever crashes.
 */
export async function tellNews(
  router: Router,
  to: AgentId,
  content: string,
  id: string = randomUUID(),
): Promise<void> {
  const message = compose({
    id,
    from: SWITCHBOARD,
    input: { to, content, type: "info" },
    answered: undefined,
    thread: undefined,
    now: new Date(),
  });
  await router.commit({ message, duplicate: false, task: undefined });
}
