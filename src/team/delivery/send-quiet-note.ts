import { randomUUID } from "node:crypto";
import type { AgentId } from "../../wire/team/messages.ts";
import { composeMessage } from "../messages/compose-message.ts";
import { SWITCHBOARD } from "../../wire/team/reserved-senders.ts";
import type { Outbox } from "./outbox.ts";

/**
 * Tells an agent something that it should know and need not act on. The note starts no turn.
 *
 * @param id makes sure that the agent is told once, whatever crashes.
 */
export async function sendQuietNote(
  outbox: Outbox,
  to: AgentId,
  content: string,
  id: string = randomUUID(),
): Promise<void> {
  const message = composeMessage({
    id,
    from: SWITCHBOARD,
    input: { to, content, type: "info" },
    answered: undefined,
    thread: undefined,
    now: new Date(),
  });
  await outbox.send({ message, duplicate: false, task: undefined });
}
