import type { AgentState } from "../../wire/team/events.ts";
import type { AgentId, CCMessage } from "../../wire/team/messages.ts";
import type { CommunicationRecord } from "../record/communication-record.ts";

interface PingSources {
  readonly communication: Pick<CommunicationRecord, "delivered">;
  readonly stateOf: (agent: AgentId) => AgentState;
}

/** This process answers a ping itself: it does not ask a model whether it is alive. */
export function answerPing(ping: CCMessage, { communication, stateOf }: PingSources) {
  const { id, from_agent, to_agent } = ping;
  const state = stateOf(to_agent);
  communication.delivered(ping);
  communication.delivered({
    ...ping,
    type: "pong",
    from_agent: to_agent,
    to_agent: from_agent,
    content: state,
    thinking: null,
  });
  return { type: "pong", from: to_agent, reply_to: id, state };
}
