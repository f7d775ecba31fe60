import type { SessionClient } from "../../client/index.ts";
import type { AgentId, CCMessage } from "../../wire/team/messages.ts";
import type { Team } from "../file/team.ts";
import type { EnvelopeContext } from "../messages/envelope.ts";
import { envelopeOf } from "../messages/envelope.ts";
import { pushPriority } from "../messages/message-types.ts";
import type { TaskBook } from "../tasks/task-book.ts";
import { USER } from "../../wire/team/reserved-senders.ts";

/** The lead gets the user's words unchanged. What another agent says is never shown as the user's. */
export function toSessionMessage(
  message: CCMessage,
  { agents, limits }: Team,
  quiet: boolean,
  around: EnvelopeContext,
): Parameters<SessionClient["send"]> {
  const { id, from_agent: from, to_agent: to, metadata } = message;
  if (from === USER) {
    return [message.content, { id, priority: pushPriority(metadata.priority, true) }];
  }
  const mayInterrupt = agents.get(from)?.mayInterrupt.includes(to) ?? false;
  const priority = pushPriority(metadata.priority, mayInterrupt);
  return [envelopeOf(message, limits.inline_bytes, around), { id, from, priority, quiet }];
}

/** The agents whose requests the running turn of this agent is about: its final text answers them too. */
export function askersOf(tasks: Pick<TaskBook, "openOf">, agent: AgentId): AgentId[] {
  const atWork = tasks.openOf(agent).filter(({ state }) => state !== "submitted");
  return [...new Set(atWork.map(({ from_agent }) => from_agent))];
}
