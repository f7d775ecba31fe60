import { errorOf } from "../../wire/errors.ts";
import type { AgentState } from "../../wire/team/events.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import type { Refusal } from "../rules/refusal.ts";

/** Refuses messages to an agent in quarantine: only a person starts it again. */
export function refuseQuarantined(id: AgentId, state: AgentState): Refusal {
  if (state !== "quarantined") return undefined;
  return errorOf("agent_unavailable", `${id} is quarantined: it failed to start too often.`, {
    data: { agent_id: id, state },
  });
}
