import { errorOf } from "../../wire/errors.ts";
import type { AgentId, CCMessage } from "../../wire/team/messages.ts";
import type { AgentSpec, Team } from "../file/team.ts";
import { USER } from "../../wire/team/reserved-senders.ts";
import type { Refusal } from "./refusal.ts";

/** Checks that the agent exists and that the sender may message it. An answer may always go back to the asker. */
export function checkRecipient(
  team: Team,
  from: AgentSpec,
  to: AgentId,
  answered: CCMessage | undefined,
): Refusal {
  const reachable = from.mayMessage.join(", ") || "nobody";
  if (to === USER) {
    const hint =
      from.id === team.lead
        ? "Say it in the final text of your turn: the user reads that."
        : `Only ${team.lead} talks with the user. Put it in your answer to whoever asked you.`;
    return errorOf("not_allowed", `${from.id} cannot send messages to the user.`, {
      data: { from: from.id, to },
      hint,
    });
  }
  if (!team.agents.has(to)) {
    return errorOf("agent_not_found", `There is no agent ${to} in this team.`, {
      data: { agent_id: to, known: [...team.agents.keys()] },
      hint: `You can send to: ${reachable}.`,
    });
  }
  if (to === from.id) {
    return errorOf("not_allowed", `${from.id} cannot send messages to itself.`, {
      data: { from: from.id, to },
      hint: `You can send to: ${reachable}.`,
    });
  }
  if (answered?.from_agent === to || from.mayMessage.includes(to)) return undefined;
  return errorOf("not_allowed", `${from.id} may not send messages to ${to}.`, {
    data: { from: from.id, to, may_message: [...from.mayMessage] },
    hint: `You can send to: ${reachable}. Ask one of them to pass it on.`,
  });
}

/** Checks that `reply_to` names a message that the sender got from this recipient. */
export function checkReply(
  from: AgentId,
  to: AgentId,
  replyTo: string | undefined,
  answered: CCMessage | undefined,
): Refusal {
  if (replyTo === undefined) return undefined;
  if (answered?.to_agent === from && answered.from_agent === to) return undefined;
  return errorOf("invalid_params", `reply_to names no message that ${from} got from ${to}.`, {
    data: { reply_to: replyTo },
    hint: "Use the id that stands above the message that you answer, and name its sender in to.",
  });
}
