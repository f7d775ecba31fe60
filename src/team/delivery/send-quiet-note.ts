import { randomUUID } from "node:crypto";
import type { AgentId } from "../../wire/team/messages.ts";
import { compose } from "../messages/compose.ts";
import { SWITCHBOARD } from "../../wire/team/senders.ts";
import type { Outbox } from "./outbox.ts";

/**
 * Tells an agent what it should know and need not act on: so it starts no turn.
 *
 * @param id by which it is told once, whatever crashes.
 */
export async function sendQuietNote(
  outbox: Outbox,
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
  await outbox.send({ message, duplicate: false, task: undefined });
}
