import type { SessionClient } from "../../client/session-client.ts";
import type { AgentId, CCMessage } from "../../wire/team.ts";
import type { Team } from "../file/team.ts";
import { envelopeOf } from "../messages/envelope.ts";
import { pushPriority } from "../messages/kind.ts";
import { USER } from "../messages/user.ts";

/** The user's own words go to the lead as they are; what a peer says is never shown as the user's. */
export function inSessionTerms(
  message: CCMessage,
  { agents, limits }: Team,
  quiet: boolean,
  worksFor: readonly AgentId[],
): Parameters<SessionClient["send"]> {
  const { id, from_agent: from, to_agent: to, metadata } = message;
  if (from === USER) {
    return [message.content, { id, priority: pushPriority(metadata.priority, true) }];
  }
  const mayInterrupt = agents.get(from)?.mayInterrupt.includes(to) ?? false;
  const priority = pushPriority(metadata.priority, mayInterrupt);
  return [envelopeOf(message, limits.inline_bytes, worksFor), { id, from, priority, quiet }];
}
